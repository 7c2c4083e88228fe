/* SPDX-License-Identifier: BSD-2-Clause */
/* A request that rtnetlink refuses with words: a route to a network whose host part is not 0. */
#ifndef BENCH_EXTACK_H
#define BENCH_EXTACK_H

#include <arpa/inet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

struct extack_request {
	struct nlmsghdr head;
	struct rtmsg route;
	struct rtattr to;
	struct in_addr address;
	struct rtattr by;
	int device;
};

/* Sends it on a netlink socket, and takes the answer. */
static inline int extack__provoke(int fd)
{
	struct extack_request request = {
		.head = { .nlmsg_len = sizeof(request), .nlmsg_type = RTM_NEWROUTE,
			  .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE },
		.route = { .rtm_family = AF_INET, .rtm_dst_len = 24, .rtm_table = RT_TABLE_MAIN,
			   .rtm_protocol = RTPROT_STATIC, .rtm_scope = RT_SCOPE_LINK, .rtm_type = RTN_UNICAST },
		.to = { .rta_len = RTA_LENGTH(sizeof(struct in_addr)), .rta_type = RTA_DST },
		.address = { htonl(0x0a000001) },
		.by = { .rta_len = RTA_LENGTH(sizeof(int)), .rta_type = RTA_OIF },
		.device = 1,
	};
	char answer[512];

	if (send(fd, &request, sizeof(request), 0) < 0)
		return -1;
	return recv(fd, answer, sizeof(answer), 0) < 0 ? -1 : 0;
}

static inline int extack__socket(void)
{
	return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
}

#endif
