/* SPDX-License-Identifier: BSD-2-Clause */
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "law_workload.h"

/* A link's MTU in one byte instead of four, which the kernel refuses with one message. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	static int fd = -1;
	struct {
		struct nlmsghdr header;
		struct ifinfomsg link;
		struct rtattr mtu;
		char value[4];
	} request = {
		.header = { .nlmsg_len = sizeof(request), .nlmsg_type = RTM_NEWLINK,
			    .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK, .nlmsg_seq = index },
		.link = { .ifi_index = 1 },
		.mtu = { .rta_len = RTA_LENGTH(1), .rta_type = IFLA_MTU },
	};
	char reply[1024];

	(void)writer;
	(void)fail;
	if (fd < 0)
		fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	if (send(fd, &request, sizeof(request), 0) < 0 || recv(fd, reply, sizeof(reply), 0) < 0)
		law_die("netlink");
	return false;
}
