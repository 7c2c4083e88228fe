/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "law_workload.h"

/* One packet over lo, to a socket with a filter that drops all; nobody is told, so there is no other packet. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	static struct sockaddr_in address = { .sin_family = AF_INET };
	static int from = -1;

	(void)writer;
	(void)index;
	(void)fail;
	if (from < 0) {
		struct sock_filter nothing = BPF_STMT(BPF_RET | BPF_K, 0);
		struct sock_fprog program = { .len = 1, .filter = &nothing };
		socklen_t size = sizeof(address);
		int to = socket(AF_INET, SOCK_DGRAM, 0);

		address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		from = socket(AF_INET, SOCK_DGRAM, 0);
		if (from < 0 || setsockopt(to, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) ||
		    bind(to, (struct sockaddr *)&address, size) || getsockname(to, (struct sockaddr *)&address, &size))
			law_die("socket");
	}
	if (sendto(from, "", 1, 0, (struct sockaddr *)&address, sizeof(address)) != 1)
		law_die("sendto");
	return false;
}
