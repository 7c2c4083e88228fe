/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * held_accept: connects to itself, says "ready", and accepts the connection when a line comes from stdin.
 * held_accept unix: connects to and accepts a socket of the Unix family.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	/* an abstract name, of the length that bind(2) is told */
	struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "\0held_accept" };
	struct sockaddr *address = argc > 1 ? (struct sockaddr *)&name : (struct sockaddr *)&at;
	socklen_t length = argc > 1 ? sizeof(name) : sizeof(at);
	int listener = socket(address->sa_family, SOCK_STREAM, 0), from = socket(address->sa_family, SOCK_STREAM, 0);
	char line[16];

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
