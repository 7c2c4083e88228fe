/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two network namespaces with a cable between them (veth(4)), made through rtnetlink(7): WIRE_CLIENT has 10.99.0.1 and fd99::1,
 * WIRE_SERVER 10.99.0.2 and fd99::2.  Needs the module veth, and sch_netem for wire__disturb().  What fails ends the process.
 */
#ifndef WIRE_H
#define WIRE_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WIRE_CLIENT, WIRE_SERVER };

struct wire {
	int ns[2];		/* descriptors of the namespaces */
	unsigned long inode[2];	/* their numbers */
};

static inline void wire__die(const char *what)
{
	perror(what);
	exit(1);
}

/* A message of rtnetlink while it is put together. */
struct wire_request {
	struct nlmsghdr head;
	char rest[1024];
};

static inline void *wire__put(struct wire_request *request, const void *data, size_t size)
{
	char *at = (char *)request + NLMSG_ALIGN(request->head.nlmsg_len);

	if (size)
		memcpy(at, data, size);
	request->head.nlmsg_len = NLMSG_ALIGN(request->head.nlmsg_len) + (uint32_t)size;
	return at;
}

static inline struct rtattr *wire__attribute(struct wire_request *request, unsigned short type, const void *data, size_t size)
{
	struct rtattr head = { .rta_len = (unsigned short)RTA_LENGTH(size), .rta_type = type };
	struct rtattr *attribute = wire__put(request, &head, sizeof(head));

	wire__put(request, data, size);
	return attribute;
}

/* Ends one that has others in it. */
static inline void wire__close(struct wire_request *request, struct rtattr *attribute)
{
	attribute->rta_len = (unsigned short)((char *)request + request->head.nlmsg_len - (char *)attribute);
}

static inline void wire__send(struct wire_request *request, const char *what)
{
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	struct {
		struct nlmsghdr head;
		struct nlmsgerr err;
		char rest[512];
	} answer;

	if (fd < 0 || send(fd, request, request->head.nlmsg_len, 0) < 0 || recv(fd, &answer, sizeof(answer), 0) < 0)
		wire__die(what);
	errno = -answer.err.error;
	if (errno)
		wire__die(what);
	close(fd);
}

static inline struct wire_request wire__request(unsigned short type, unsigned short flags)
{
	struct wire_request request = { .head = {
		.nlmsg_len = NLMSG_HDRLEN, .nlmsg_type = type, .nlmsg_flags = (unsigned short)(NLM_F_REQUEST | NLM_F_ACK | flags) } };

	return request;
}

/* The socket's calls below are of this namespace from now on. */
static inline void wire__enter(const struct wire *wire, int side)
{
	if (setns(wire->ns[side], CLONE_NEWNET))
		wire__die("setns");
}

static inline void wire__up(const char *name)
{
	struct ifreq request = { .ifr_flags = IFF_UP };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	strcpy(request.ifr_name, name);
	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request))
		wire__die(name);
	close(fd);
}

static inline void wire__add_address(int family, const char *text, unsigned char prefix)
{
	struct wire_request request = wire__request(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL);
	struct ifaddrmsg message = { .ifa_family = (unsigned char)family, .ifa_prefixlen = prefix, .ifa_flags = IFA_F_NODAD,
				     .ifa_index = if_nametoindex("wire") };
	char bytes[16];
	size_t size = family == AF_INET ? 4 : 16;

	inet_pton(family, text, bytes);
	wire__put(&request, &message, sizeof(message));
	wire__attribute(&request, IFA_LOCAL, bytes, size);
	wire__attribute(&request, IFA_ADDRESS, bytes, size);
	wire__send(&request, text);
}

/* type: RTN_UNREACHABLE …, or RTN_UNICAST with the address of a gateway. */
static inline void wire__add_route(int family, unsigned char type, const char *to, unsigned char prefix, const char *gateway)
{
	struct wire_request request = wire__request(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL);
	struct rtmsg message = { .rtm_family = (unsigned char)family, .rtm_dst_len = prefix, .rtm_table = RT_TABLE_MAIN,
				 .rtm_protocol = RTPROT_STATIC, .rtm_scope = RT_SCOPE_UNIVERSE, .rtm_type = type };
	size_t size = family == AF_INET ? 4 : 16;
	char bytes[16];

	wire__put(&request, &message, sizeof(message));
	inet_pton(family, to, bytes);
	wire__attribute(&request, RTA_DST, bytes, size);
	if (gateway) {
		inet_pton(family, gateway, bytes);
		wire__attribute(&request, RTA_GATEWAY, bytes, size);
	}
	wire__send(&request, to);
}

/* What leaves this side waits so long, or is lost: a queueing discipline "netem".  Again: changes it. */
static inline void wire__disturb(const struct wire *wire, int side, unsigned int delay_us, unsigned int is_lost)
{
	struct wire_request request = wire__request(RTM_NEWQDISC, NLM_F_CREATE | NLM_F_REPLACE);
	/* a tick of these is 64 ns (PSCHED_SHIFT) */
	struct tc_netem_qopt options = { .latency = (uint32_t)(delay_us * 1000ULL / 64), .limit = 1000,
					 .loss = is_lost ? UINT32_MAX : 0 };
	struct tcmsg message = { .tcm_family = AF_UNSPEC, .tcm_parent = TC_H_ROOT, .tcm_handle = 0x10000 };

	wire__enter(wire, side);
	message.tcm_ifindex = (int)if_nametoindex("wire");
	wire__put(&request, &message, sizeof(message));
	wire__attribute(&request, TCA_KIND, "netem", sizeof("netem"));
	wire__attribute(&request, TCA_OPTIONS, &options, sizeof(options));
	wire__send(&request, "netem");
}

static inline void wire__add_cable(const struct wire *wire)
{
	struct wire_request request = wire__request(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
	struct ifinfomsg message = { .ifi_family = AF_UNSPEC };
	struct rtattr *info, *data, *peer;
	uint32_t fd = (uint32_t)wire->ns[WIRE_SERVER];

	wire__put(&request, &message, sizeof(message));
	wire__attribute(&request, IFLA_IFNAME, "wire", sizeof("wire"));
	info = wire__attribute(&request, IFLA_LINKINFO, NULL, 0);
	wire__attribute(&request, IFLA_INFO_KIND, "veth", strlen("veth"));
	data = wire__attribute(&request, IFLA_INFO_DATA, NULL, 0);
	peer = wire__attribute(&request, VETH_INFO_PEER, NULL, 0);
	wire__put(&request, &message, sizeof(message));
	wire__attribute(&request, IFLA_IFNAME, "wire", sizeof("wire"));
	wire__attribute(&request, IFLA_NET_NS_FD, &fd, sizeof(fd));
	wire__close(&request, peer);
	wire__close(&request, data);
	wire__close(&request, info);
	wire__send(&request, "veth");
}

/* Makes both, and leaves the process in the client's. */
static inline void wire__make(struct wire *wire)
{
	for (int side = WIRE_SERVER; side >= WIRE_CLIENT; side--) {
		struct stat ns;

		if (unshare(CLONE_NEWNET) || stat("/proc/self/ns/net", &ns))
			wire__die("unshare");
		wire->ns[side] = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
		wire->inode[side] = ns.st_ino;
		wire__up("lo");
	}
	wire__add_cable(wire);
	for (int side = WIRE_SERVER; side >= WIRE_CLIENT; side--) {
		wire__enter(wire, side);
		wire__add_address(AF_INET, side == WIRE_CLIENT ? "10.99.0.1" : "10.99.0.2", 24);
		wire__add_address(AF_INET6, side == WIRE_CLIENT ? "fd99::1" : "fd99::2", 64);
		wire__up("wire");
	}
}

/* Of the namespace that the process is in. */
static inline void wire__sysctl(const char *path, const char *value)
{
	char file[256];
	int fd;

	snprintf(file, sizeof(file), "/proc/sys/net/%s", path);
	fd = open(file, O_WRONLY);
	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		wire__die(file);
	close(fd);
}

#endif
