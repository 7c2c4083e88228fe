/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waits for what a test needs, with a deadline: a sleep would be too long on one machine and too short on another.
 *
 *	await SECONDS end PID			PID has ended (a zombie counts)
 *	await SECONDS line FILE [PID]		FILE holds a whole line
 *	await SECONDS text TEXT FILE [PID]	FILE holds TEXT
 *
 * Exit status 0: so it is; 1: not in time, or PID has ended without it.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LOOK_AGAIN_MS 5

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Whether the file holds text; what was read is kept and not read again. */
static bool file_holds(const char *path, const char *text)
{
	static int fd = -1;
	static char *buffer;
	static size_t used;
	size_t length = strlen(text), from;
	ssize_t got;

	if (fd < 0)
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	do {
		buffer = realloc(buffer, used + 65536);
		if (!buffer)
			exit(2);
		/* what may hold the beginning of the text is looked at again */
		from = used < length ? 0 : used - length + 1;
		got = read(fd, buffer + used, 65536);
		if (got > 0)
			used += (size_t)got;
		if (memmem(buffer + from, used - from, text, length))
			return true;
	} while (got > 0);
	return false;
}

int main(int argc, char **argv)
{
	bool end = argc == 4 && !strcmp(argv[2], "end");
	bool line = argc >= 4 && !strcmp(argv[2], "line");
	bool text = argc >= 5 && !strcmp(argv[2], "text");
	const char *pid = end ? argv[3] : line ? argv[4] : text ? argv[5] : NULL;
	struct pollfd process = { .fd = -1, .events = POLLIN };
	int64_t deadline_ms;
	bool ended = false;

	if (!end && !line && !text) {
		fprintf(stderr, "usage: await SECONDS end PID | line FILE [PID] | text TEXT FILE [PID]\n");
		return 2;
	}
	deadline_ms = now_ms() + (int64_t)(atof(argv[1]) * 1000);
	if (pid) {
		/* readable once the process has ended (since 5.3) */
		process.fd = (int)syscall(SYS_pidfd_open, atoi(pid), 0);
		ended = process.fd < 0;
	}
	for (;;) {
		if (!end && file_holds(argv[line ? 3 : 4], line ? "\n" : argv[3]))
			return 0;
		/* what was written last before the end has been looked for */
		if (ended)
			return !end;
		if (now_ms() > deadline_ms)
			return 1;
		ended = poll(&process, 1, LOOK_AGAIN_MS) > 0;
	}
}
