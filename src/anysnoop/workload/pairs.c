/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes events with keys that the caller chooses: pairs OPERATION...
 *
 *	b:FROM:TO	getpgid(n) for each n from FROM up to, not including, TO: the first events
 *	e:FROM:TO	getsid(n) likewise: the second ones
 *	p:FROM:TO	for each n getpgid(n), getsid(n)
 *	f:FROM:TO	unlinkat() of /nobody/n
 *	x:FROM:TO	unlinkat() of a path that cannot be read, as often
 *	s:MS		sleeps
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		long from = 0, to = 0;
		char operation;

		if (sscanf(argv[i], "%c:%ld:%ld", &operation, &from, &to) < 2) {
			fprintf(stderr, "pairs: \"%s\"\n", argv[i]);
			return 2;
		}
		if (operation == 's') {
			struct timespec time = { .tv_sec = from / 1000, .tv_nsec = from % 1000 * 1000000 };

			nanosleep(&time, NULL);
			continue;
		}
		for (long n = from; n < to; n++) {
			char path[32];

			if (operation == 'f' || operation == 'x') {
				snprintf(path, sizeof(path), "/nobody/%ld", n);
				syscall(SYS_unlinkat, AT_FDCWD, operation == 'x' ? (char *)1 : path, 0);
				continue;
			}
			if (operation != 'e')
				syscall(SYS_getpgid, n);
			if (operation != 'b')
				syscall(SYS_getsid, n);
		}
	}
	return 0;
}
