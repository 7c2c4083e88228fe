/* SPDX-License-Identifier: BSD-2-Clause */
/* dnssnoop-load COUNT [WRITERS [RATE]]: a query and its answer, over the loopback device, by the same process. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "work.h"

static int client, server;

/* The server has an address of this process. */
static void open_sockets(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(53),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK + ((unsigned int)getpid() << 8)) };

	client = socket(AF_INET, SOCK_DGRAM, 0);
	server = socket(AF_INET, SOCK_DGRAM, 0);
	if (bind(server, (struct sockaddr *)&to, sizeof(to)) || connect(client, (struct sockaddr *)&to, sizeof(to)))
		exit(1);
}

static void ask(void)
{
	unsigned char message[] = { 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1 };
	struct sockaddr_in from;
	socklen_t size = sizeof(from);

	if (send(client, message, sizeof(message), 0) != sizeof(message) ||
	    recvfrom(server, message, sizeof(message), 0, (struct sockaddr *)&from, &size) != sizeof(message))
		exit(1);
	message[2] = 0x81;
	if (sendto(server, message, sizeof(message), 0, (struct sockaddr *)&from, size) != sizeof(message) ||
	    recv(client, message, sizeof(message), 0) != sizeof(message))
		exit(1);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, open_sockets, ask);
}
