/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * monitor SOCKET COMMAND: runs a command in QEMU's monitor and prints its answer.  Exit status 1 where there is no monitor.
 */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define PROMPT "(qemu) "
#define WAIT_MS 10000

/* Reads up to the prompt; the bytes, or -1. */
static int read_answer(int fd, char *text, size_t size)
{
	struct pollfd answer = { .fd = fd, .events = POLLIN };
	size_t used = 0;

	while (used < size - 1) {
		ssize_t got;

		if (poll(&answer, 1, WAIT_MS) <= 0)
			return -1;
		got = read(fd, text + used, size - 1 - used);
		if (got <= 0)
			return -1;
		used += (size_t)got;
		text[used] = 0;
		if (used >= strlen(PROMPT) && !strcmp(text + used - strlen(PROMPT), PROMPT)) {
			text[used - strlen(PROMPT)] = 0;
			return (int)used;
		}
	}
	return -1;
}

int main(int argc, char **argv)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	static char text[1 << 16];
	char *answer;
	int fd;

	if (argc != 3 || strlen(argv[1]) >= sizeof(address.sun_path)) {
		fprintf(stderr, "usage: monitor SOCKET COMMAND\n");
		return 2;
	}
	strcpy(address.sun_path, argv[1]);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) || read_answer(fd, text, sizeof(text)) < 0)
		return 1;
	if (dprintf(fd, "%s\n", argv[2]) < 0 || read_answer(fd, text, sizeof(text)) < 0)
		return 1;
	/* the monitor repeats the command first, with what a terminal needs to edit it */
	answer = strchr(text, '\n');
	for (answer = answer ? answer + 1 : text; *answer; answer++)
		if (*answer != '\r')
			putchar(*answer);
	return 0;
}
