/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fill BYTES: writes so many newlines to the pipe that is its stdout, or fewer where the pipe is full; it never waits for a reader.
 * fill page: makes the pipe hold one page (F_SETPIPE_SZ), so that whoever writes to it soon waits.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	/* opened anew: O_NONBLOCK of a descriptor would hold for all who share it */
	int pipe = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK);
	long bytes = argc == 2 ? atol(argv[1]) : 0;

	if (pipe >= 0 && argc == 2 && !strcmp(argv[1], "page"))
		return fcntl(pipe, F_SETPIPE_SZ, sysconf(_SC_PAGESIZE)) < 0;
	if (pipe < 0 || bytes <= 0) {
		fprintf(stderr, "usage: fill BYTES|page >PIPE\n");
		return 2;
	}
	while (bytes--) {
		if (write(pipe, "\n", 1) == 1)
			continue;
		if (errno == EAGAIN)
			return 0;
		perror("fill");
		return 1;
	}
	return 0;
}
