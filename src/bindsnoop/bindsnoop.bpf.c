/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Internet sockets being bound to an address, seen once, when bind(2) returns: what it was given is in memory then, and the port is
 * chosen.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bindsnoop.h"
#include "lib/bpf/exits.bpf.h"
#include "lib/bpf/row_stack.bpf.h"
#include "lib/bpf/socket_call.bpf.h"

#define AF_UNSPEC 0
#define SK_CAN_REUSE 1	/* include/net/sock.h */

struct sock___options {
	struct {
		unsigned char skc_reuse: 4;
		unsigned char skc_reuseport: 1;
		unsigned char skc_ipv6only: 1;
		int skc_bound_dev_if;
	} __sk_common;
} __attribute__((preserve_access_index));

/* up to 6.5 */
struct inet_sock___bits {
	__u8 freebind: 1;
	__u8 transparent: 1;
	__u8 bind_address_no_port: 1;
} __attribute__((preserve_access_index));

/* since 6.6 */
struct inet_sock___flags {
	unsigned long inet_flags;
} __attribute__((preserve_access_index));

/* struct sockaddr_in and sockaddr_in6 as far as bind(2) reads them */
struct asked {
	u16 family;
	__be16 port;
	u32 v4_or_flow;
	u8 v6[16];
};

static __always_inline bool exit_is_unwanted(enum syscall_id syscall, long result)
{
	return is_restart(result) || event_is_over();
}

/* Gives the address family that was asked for, if it is an internet address that can be read; else 0. */
static __always_inline u16 read_asked(struct asked *asked, const void *from)
{
	if (bpf_probe_read_user(asked, 8, from))
		return 0;
	if (asked->family == AF_INET6)
		return bpf_probe_read_user(asked->v6, sizeof(asked->v6), from + 8) ? 0 : AF_INET6;
	/* the kernel takes AF_UNSPEC for AF_INET where the address is 0.0.0.0 */
	return asked->family == AF_INET || (asked->family == AF_UNSPEC && !asked->v4_or_flow) ? AF_INET : 0;
}

static __always_inline u32 inet_options(u64 sk)
{
	struct inet_sock___flags *by_flags = (struct inet_sock___flags *)sk;
	struct inet_sock___bits *by_bits = (struct inet_sock___bits *)sk;
	unsigned long flags;

	if (!bpf_core_field_exists(by_flags->inet_flags))
		return (u32)BPF_CORE_READ_BITFIELD_PROBED(by_bits, freebind) * BIND_FREEBIND |
		       (u32)BPF_CORE_READ_BITFIELD_PROBED(by_bits, transparent) * BIND_TRANSPARENT |
		       (u32)BPF_CORE_READ_BITFIELD_PROBED(by_bits, bind_address_no_port) * BIND_ADDRESS_NO_PORT;
	flags = BPF_CORE_READ(by_flags, inet_flags);
	return (flags >> INET_FLAGS_FREEBIND & 1) * BIND_FREEBIND | (flags >> INET_FLAGS_TRANSPARENT & 1) * BIND_TRANSPARENT |
	       (flags >> INET_FLAGS_BIND_ADDRESS_NO_PORT & 1) * BIND_ADDRESS_NO_PORT;
}

/* enum bind_option; in the upper half the device.  0 of an address that is no socket's.  Global, as socket_call_sock(). */
__noinline u64 options_of(u64 sk)
{
	struct sock___options *options = (struct sock___options *)sk;

	return (BPF_CORE_READ_BITFIELD_PROBED(options, __sk_common.skc_reuse) == SK_CAN_REUSE) * BIND_REUSEADDR |
	       (u32)BPF_CORE_READ_BITFIELD_PROBED(options, __sk_common.skc_reuseport) * BIND_REUSEPORT |
	       (u32)BPF_CORE_READ_BITFIELD_PROBED(options, __sk_common.skc_ipv6only) * BIND_V6ONLY | inet_options(sk) |
	       (u64)BPF_CORE_READ(options, __sk_common.skc_bound_dev_if) << 32;
}

/* The address that was asked for, in the place of the socket's. */
static __always_inline void take_asked(struct socket_call *call, const struct asked *asked, u16 family)
{
	call->about &= ~SOCKET_CALL_HAS_ADDRESS;
	if (!family)
		return;
	call->about |= SOCKET_CALL_HAS_ADDRESS;
	call->ends.local_port = bpf_ntohs(asked->port);
	if (family == AF_INET6)
		__builtin_memcpy(call->ends.local, asked->v6, sizeof(asked->v6));
	else
		address_map(call->ends.local, asked->v4_or_flow);
}

static __always_inline int call_exited(void *ctx, const struct exited *exited, const bool single)
{
	struct bindsnoop_event *event;
	u64 sk = SOCKET_CALL_NONE, options;
	u64 args[SOCKET_CALL_ARGS];
	struct socket_call call = {};
	struct asked asked = {};
	u16 family = 0;

	if (!socket_call_args(args, exited, SOCKETCALL_BIND, 3))
		return 0;
	if (exited->known) {
		family = read_asked(&asked, (const void *)args[1]);
		sk = socket_call_sock(args[0]);
		/* no descriptor of a socket: the address tells whether one of the internet was meant */
		if (sk == SOCKET_CALL_OTHER || (sk == SOCKET_CALL_NONE && !family))
			return 0;
	}
	if (sk)
		socket_call_fill(&call, (const struct sock___part *)sk);
	call.result = exited->result;
	if (!sk || call.result < 0)
		take_asked(&call, &asked, family);
	if (socket_call_filtered(&call))
		return 0;
	event = event_reserve(sizeof(*event));
	if (!event)
		return 0;
	event->call = call;
	options = options_of(sk);
	event->options = options;
	event->ifindex = options >> 32;
	event->asked_port = bpf_ntohs(asked.port);
	event->has_asked = family != 0;
	event->reserved = 0;
	event_submit_from(ctx, event);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
