/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fill BYTES: writes blank lines of so many bytes in all to the pipe that is its stdout, or fewer where the pipe is full; it never waits
 * for a reader.  The lines are long, as readers in a test (busybox's awk) take their time for each.
 * fill page: makes the pipe hold one page (F_SETPIPE_SZ), so that whoever writes to it soon waits.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_SIZE 512	/* at most PIPE_BUF: such a write is whole or fails (pipe(7)) */

int main(int argc, char **argv)
{
	/* opened anew: O_NONBLOCK of a descriptor would hold for all who share it */
	int pipe = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK);
	long bytes = argc == 2 ? atol(argv[1]) : 0;
	char line[LINE_SIZE];

	if (pipe >= 0 && argc == 2 && !strcmp(argv[1], "page"))
		return fcntl(pipe, F_SETPIPE_SZ, sysconf(_SC_PAGESIZE)) < 0;
	if (pipe < 0 || bytes <= 0) {
		fprintf(stderr, "usage: fill BYTES|page >PIPE\n");
		return 2;
	}
	memset(line, ' ', sizeof(line));
	line[sizeof(line) - 1] = '\n';
	for (long size = sizeof(line); bytes > 0;) {
		if (size > bytes)
			size = bytes;
		ssize_t written = write(pipe, line + sizeof(line) - size, size);

		if (written > 0) {
			bytes -= written;
		} else if (errno != EAGAIN) {
			perror("fill");
			return 1;
		} else if (size == 1) {
			break;
		} else {
			/* what is left of its room may be less */
			size /= 2;
		}
	}
	return 0;
}
