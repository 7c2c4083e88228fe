/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "law_workload.h"

/* A query for the root's A and its answer, with an error if it is to fail, both by the writer; its server has an address of its own. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(53), .sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1 + writer) };
	unsigned char message[] = { (unsigned char)(index >> 8), (unsigned char)index, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1 };
	static int client = -1, server;
	socklen_t size = sizeof(to);

	if (client < 0) {
		client = socket(AF_INET, SOCK_DGRAM, 0);
		server = socket(AF_INET, SOCK_DGRAM, 0);
		if (bind(server, (struct sockaddr *)&to, sizeof(to)) || connect(client, (struct sockaddr *)&to, sizeof(to)))
			law_die("port 53");
	}
	if (send(client, message, sizeof(message), 0) != sizeof(message) ||
	    recvfrom(server, message, sizeof(message), 0, (struct sockaddr *)&to, &size) != sizeof(message))
		law_die("query");
	message[2] = 0x81;
	message[3] = fail ? 3 : 0;
	if (sendto(server, message, sizeof(message), 0, (struct sockaddr *)&to, size) != sizeof(message) ||
	    recv(client, message, sizeof(message), 0) != sizeof(message))
		law_die("answer");
	return fail;
}
