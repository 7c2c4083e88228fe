/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * drop_calls [KIND...]: sends packets over lo, in a network namespace of its own, that the kernel drops.  A line for each: "netns
 * INODE", then "PROTO SADDR SPORT DADDR DPORT REASON" with the reason's name on the kernels that have one.
 *
 * KIND: only packets that a queueing discipline of this kind drops, see add_qdisc().
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "socket_drops.h"
#include "wire.h"

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void set_lo(short flags)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = flags };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request))
		die("lo");
	close(fd);
}

/* The same address for both ends, on a port of its own each.  The port is at the same place in both kinds of addresses. */
struct end {
	struct sockaddr_in6 address;
	socklen_t size;
	int fd;
};

static struct end end_at(int type, const char *text)
{
	struct end end = { .size = sizeof(end.address) };
	struct sockaddr_in *v4 = (struct sockaddr_in *)&end.address;
	int family = strchr(text, ':') ? AF_INET6 : AF_INET;

	end.address.sin6_family = (sa_family_t)family;
	inet_pton(family, text, family == AF_INET ? (void *)&v4->sin_addr : (void *)&end.address.sin6_addr);
	end.fd = socket(family, type, 0);
	if (end.fd < 0 || bind(end.fd, (struct sockaddr *)&end.address, end.size) ||
	    getsockname(end.fd, (struct sockaddr *)&end.address, &end.size))
		die(text);
	return end;
}

static void set_filter(int fd)
{
	struct sock_filter nothing = BPF_STMT(BPF_RET | BPF_K, 0);
	struct sock_fprog program = { .len = 1, .filter = &nothing };

	if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)))
		die("filter");
}

static void send_to(const struct end *from, const struct end *to, size_t size)
{
	static char bytes[4096];

	if (sendto(from->fd, bytes, size, 0, (const struct sockaddr *)&to->address, to->size) < 0)
		die("sendto");
}

static void print_drop(const char *proto, const char *address, const struct end *from, const struct end *to, const char *reason)
{
	printf("%s %s %u %s %u %s\n", proto, address, ntohs(from->address.sin6_port), address, ntohs(to->address.sin6_port), reason);
}

/* TCP to a port that nobody listens on; UDP to a socket with a filter that drops all; UDP to a socket that is full. */
static void drop(const char *address)
{
	struct end from = end_at(SOCK_STREAM, address), to = end_at(SOCK_STREAM, address);
	int size = 1;

	if (!connect(from.fd, (struct sockaddr *)&to.address, to.size) || errno != ECONNREFUSED)
		die("connect");
	print_drop("tcp", address, &from, &to, "NO_SOCKET");
	close(from.fd);
	close(to.fd);

	from = end_at(SOCK_DGRAM, address);
	to = end_at(SOCK_DGRAM, address);
	set_filter(to.fd);
	send_to(&from, &to, 10);
	socket_drops__wait(to.fd, 1);
	print_drop("udp", address, &from, &to, "SOCKET_FILTER");
	close(to.fd);

	to = end_at(SOCK_DGRAM, address);
	/* the kernel takes its smallest, of some 2 KB: what has arrived is taken as soon as there is less than that */
	if (setsockopt(to.fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)))
		die("SO_RCVBUF");
	send_to(&from, &to, 2000);
	send_to(&from, &to, 2000);
	socket_drops__wait(to.fd, 1);
	print_drop("udp", address, &from, &to, "SOCKET_RCVBUFF");
	/* what is in the buffer is read, else its end would be a drop too */
	recv(to.fd, &size, sizeof(size), MSG_DONTWAIT);
	close(to.fd);
	close(from.fd);
}

/*
 * A queueing discipline of lo that drops all packets, the index-th one here: "tc qdisc replace dev lo root KIND …".  netem loses
 * them; the others have a queue without room.
 */
static void add_qdisc(const char *kind, unsigned int index)
{
	struct wire_request request = wire__request(RTM_NEWQDISC, NLM_F_CREATE | NLM_F_REPLACE);
	struct tcmsg message = { .tcm_family = AF_UNSPEC, .tcm_ifindex = (int)if_nametoindex("lo"), .tcm_parent = TC_H_ROOT,
				 .tcm_handle = (index + 1) << 16 };
	struct tc_netem_qopt netem = { .limit = 1000, .loss = UINT32_MAX };
	/* a queue of one byte, and a rate that is never reached */
	struct tc_tbf_qopt tbf = { .rate = { .rate = 1000000000, .linklayer = TC_LINKLAYER_ETHERNET }, .limit = 1 };
	struct tc_htb_glob htb = { .version = 3, .rate2quantum = 10 };
	struct tc_fifo_qopt fifo = { .limit = 0 };
	uint32_t none = 0, burst = 1000000;
	struct rtattr *options;

	wire__put(&request, &message, sizeof(message));
	wire__attribute(&request, TCA_KIND, kind, strlen(kind) + 1);
	if (!strcmp(kind, "netem")) {
		wire__attribute(&request, TCA_OPTIONS, &netem, sizeof(netem));
	} else if (!strcmp(kind, "pfifo") || !strcmp(kind, "bfifo")) {
		wire__attribute(&request, TCA_OPTIONS, &fifo, sizeof(fifo));
	} else {
		options = wire__attribute(&request, TCA_OPTIONS, NULL, 0);
		if (!strcmp(kind, "tbf")) {
			wire__attribute(&request, TCA_TBF_PARMS, &tbf, sizeof(tbf));
			wire__attribute(&request, TCA_TBF_BURST, &burst, sizeof(burst));
		} else if (!strcmp(kind, "htb")) {
			wire__attribute(&request, TCA_HTB_INIT, &htb, sizeof(htb));
			wire__attribute(&request, TCA_HTB_DIRECT_QLEN, &none, sizeof(none));
		} else if (!strcmp(kind, "fq_codel")) {
			wire__attribute(&request, TCA_FQ_CODEL_LIMIT, &none, sizeof(none));
		} else {
			die(kind);
		}
		wire__close(&request, options);
	}
	wire__send(&request, kind);
}

static void drop_queued(const char *address)
{
	struct end from = end_at(SOCK_DGRAM, address), to = end_at(SOCK_DGRAM, address);
	char byte = 0;

	/* whether the program hears of it is another question */
	sendto(from.fd, &byte, 1, 0, (const struct sockaddr *)&to.address, to.size);
	print_drop("udp", address, &from, &to, "QDISC_DROP");
	close(from.fd);
	close(to.fd);
}

static void drop_by(const char *kind, unsigned int index)
{
	add_qdisc(kind, index);
	drop_queued("127.0.0.1");
	drop_queued("::1");
}

int main(int argc, char **argv)
{
	struct stat ns;

	if (unshare(CLONE_NEWNET) || stat("/proc/self/ns/net", &ns))
		die("unshare");
	set_lo(IFF_UP);
	printf("netns %lu\n", (unsigned long)ns.st_ino);
	for (int i = 1; i < argc; i++)
		drop_by(argv[i], (unsigned int)i);
	if (argc > 1)
		return 0;
	drop("127.0.0.1");
	drop("::1");
	drop_by("pfifo", 0);
	return 0;
}
