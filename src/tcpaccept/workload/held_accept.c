/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * held_accept: connects to itself, says "ready", and accepts the connection when a line comes from stdin.
 * held_accept unix: connects to and accepts a socket of the Unix family.
 * held_accept servers COUNT: so many processes wait in accept(2), all at the same time; then each gets a connection.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asleep.h"

/* The C library's accept() is this call, or accept4(). */
static void wait_for_sleep(pid_t pid)
{
	while (!is_asleep_in(SYS_accept, pid) && !is_asleep_in(SYS_accept4, pid))
		usleep(1000);
}

static int serve(int count)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int listener = socket(AF_INET, SOCK_STREAM, 0), status, failed = 0;
	socklen_t length = sizeof(at);
	pid_t *servers = calloc((size_t)count, sizeof(*servers));

	if (!servers || bind(listener, (struct sockaddr *)&at, length) || listen(listener, count) ||
	    getsockname(listener, (struct sockaddr *)&at, &length)) {
		perror("held_accept");
		return 1;
	}
	for (int i = 0; i < count; i++) {
		servers[i] = fork();
		if (!servers[i])
			_exit(accept(listener, NULL, NULL) < 0);
	}
	for (int i = 0; i < count; i++)
		wait_for_sleep(servers[i]);
	for (int i = 0; i < count; i++)
		failed |= connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&at, length);
	while (wait(&status) > 0)
		failed |= status;
	printf("%d\n", count);
	return failed != 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	/* an abstract name, of the length that bind(2) is told */
	struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "\0held_accept" };
	struct sockaddr *address = argc > 1 ? (struct sockaddr *)&name : (struct sockaddr *)&at;
	socklen_t length = argc > 1 ? sizeof(name) : sizeof(at);
	int listener = socket(address->sa_family, SOCK_STREAM, 0), from = socket(address->sa_family, SOCK_STREAM, 0);
	char line[16];

	if (argc > 2 && !strcmp(argv[1], "servers"))
		return serve(atoi(argv[2]));
	if (bind(listener, address, length) || listen(listener, 1) || getsockname(listener, address, &length) ||
	    connect(from, address, length)) {
		perror("held_accept");
		return 1;
	}
	printf("ready\n");
	fflush(stdout);
	if (argc < 2 && !fgets(line, sizeof(line), stdin))
		return 1;
	return accept(listener, NULL, NULL) < 0;
}
