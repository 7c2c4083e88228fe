/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opens a file from a known place, main - outer - inner, COUNT times; then says "done" and ends when a byte comes from stdin, so that
 * whoever names its functions finds it alive.  With a PROGRAM it ends as that, at once.
 *
 *	open_deep FILE COUNT [PROGRAM]
 *
 * It has frame pointers (open_deep.flags).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone, used))

static KEPT int inner(const char *path)
{
	/* syscall() calls nobody and leaves the frame pointer alone, which open() of the C library does not */
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);

	/* the frame is looked at, so the compiler makes one */
	asm volatile("" : : "r"(__builtin_frame_address(0)));
	return fd;
}

static KEPT int outer(const char *path)
{
	int fd = inner(path);

	asm volatile("" : : "r"(__builtin_frame_address(0)));
	return fd;
}

int main(int argc, char **argv)
{
	int count = argc >= 3 ? atoi(argv[2]) : 0;
	char byte;

	for (int i = 0; i < count; i++) {
		int fd = outer(argv[1]);

		if (fd < 0)
			return 1;
		close(fd);
	}
	puts("done");
	fflush(stdout);
	if (argc > 3)
		return execl(argv[3], argv[3], NULL);
	return !count || read(STDIN_FILENO, &byte, 1) < 0;
}
