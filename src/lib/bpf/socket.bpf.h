/* SPDX-License-Identifier: BSD-2-Clause */
/* What tools read of the kernel's own record of a socket. Include it after vmlinux.h. */
#ifndef PROBELIGHT_SOCKET_BPF_H
#define PROBELIGHT_SOCKET_BPF_H

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "lib/shared/socket.h"

#define AF_INET 2
#define AF_INET6 10

/* Of the kernel's structs, the members that are read (task.bpf.h says why).  NAME___part is NAME to CO-RE and to lib/layout. */
struct net___part {
	struct {
		unsigned int inum;
	} ns;
} __attribute__((preserve_access_index));

struct in6_addr___part {
	u8 bytes[16];
};

struct sock_common___part {
	__be32 skc_daddr;
	__be32 skc_rcv_saddr;
	__be16 skc_dport;
	__u16 skc_num;
	unsigned short skc_family;
	volatile unsigned char skc_state;
	struct {
		struct net___part *net;
	} skc_net;
	struct in6_addr___part skc_v6_daddr;
	struct in6_addr___part skc_v6_rcv_saddr;
	unsigned long skc_flags;
} __attribute__((preserve_access_index));

struct sock___part {
	struct sock_common___part __sk_common;
	u16 sk_protocol;
	int sk_err;
} __attribute__((preserve_access_index));

/* A socket of the internet families begins with its struct sock. */
struct inet_sock___part {
	__be16 inet_sport;
} __attribute__((preserve_access_index));

/* An IPv4 address, in network byte order, as ::ffff:a.b.c.d. */
static __always_inline void address_map(__u8 *to, __be32 address)
{
	__u32 *words = (__u32 *)to;

	words[0] = 0;
	words[1] = 0;
	words[2] = bpf_htonl(0xffff);
	words[3] = address;
}

static __always_inline __u32 socket_netns(const struct sock___part *sk)
{
	return BPF_CORE_READ(sk, __sk_common.skc_net.net, ns.inum);
}

/* Whether it is a TCP socket over IPv4 or IPv6: the main socket of an MPTCP connection is not. */
static __always_inline bool socket_is_tcp(const struct sock___part *sk)
{
	__u16 family = BPF_CORE_READ(sk, __sk_common.skc_family);

	return (family == AF_INET || family == AF_INET6) && BPF_CORE_READ(sk, sk_protocol) == IPPROTO_TCP;
}

/* The addresses and the remote port of an internet socket or, which has them at the same places, of a struct request_sock. */
static __always_inline void socket_fill_addresses(struct socket_ends *ends, const struct sock___part *sk)
{
	if (BPF_CORE_READ(sk, __sk_common.skc_family) == AF_INET6) {
		bpf_core_read(ends->local, sizeof(ends->local), &sk->__sk_common.skc_v6_rcv_saddr);
		bpf_core_read(ends->remote, sizeof(ends->remote), &sk->__sk_common.skc_v6_daddr);
	} else {
		address_map(ends->local, BPF_CORE_READ(sk, __sk_common.skc_rcv_saddr));
		address_map(ends->remote, BPF_CORE_READ(sk, __sk_common.skc_daddr));
	}
	ends->remote_port = bpf_ntohs(BPF_CORE_READ(sk, __sk_common.skc_dport));
}

/*
 * The ends of an internet socket.  The local port is inet_sport: skc_num, which is the same one while the socket has it, is 0
 * when the last state change is seen (inet_put_port() in tcp_set_state()).
 */
static __always_inline void socket_fill_ends(struct socket_ends *ends, const struct sock___part *sk)
{
	socket_fill_addresses(ends, sk);
	ends->local_port = bpf_ntohs(BPF_CORE_READ((const struct inet_sock___part *)sk, inet_sport));
	ends->netns = socket_netns(sk);
}

/* The same, of the parts alone that are asked for (enum socket_part); what else is in *to stays as it is. */
static __always_inline void socket_fill_parts(struct socket_ends *to, const struct sock___part *sk, __u32 parts)
{
	struct socket_ends ends = {};

	socket_fill_ends(&ends, sk);
	if (parts & SOCKET_LADDR)
		__builtin_memcpy(to->local, ends.local, sizeof(to->local));
	if (parts & SOCKET_LPORT)
		to->local_port = ends.local_port;
	if (parts & SOCKET_RADDR)
		__builtin_memcpy(to->remote, ends.remote, sizeof(to->remote));
	if (parts & SOCKET_RPORT)
		to->remote_port = ends.remote_port;
	if (parts & SOCKET_NETNS)
		to->netns = ends.netns;
}

#endif
