/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connections being made, with their result.  A TCP connection begins and ends its attempt by changes of its socket's state;
 * the errno is in the socket.  Where connect(2) fails by itself, before or after the first change, nothing but its return value
 * has the errno: tcp_v4_connect() and tcp_v6_connect() return it, and they do not wait for the peer, so that they hold a return
 * probe's slot for a moment only.  For UDP, where nothing is sent, their counterparts are all there is.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "lib/bpf/event_counts.bpf.h"
#include "lib/bpf/owner_stack.bpf.h"
#include "lib/bpf/tcp.bpf.h"
#include "tcpconnect.h"

/* A call of one of the connect functions. */
struct connect_call {
	__u64 start_ns;
	__u64 sk;
	__u64 address;		/* struct sockaddr in the kernel's memory */
};

/* By thread.  LRU: a call whose return probe was missed leaves its entry, which is nobody's. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, struct connect_call);
} connecting SEC(".maps");

/* The kernel's struct sockaddr_in and sockaddr_in6, which are ABI. */
struct connect_address {
	__u16 family;
	__be16 port;
	__be32 v4;
	__u8 v6[16];
};

/* -x, on the owner, and the socket's ends. */
static __always_inline bool connect_filtered(const struct owner *owner, const struct socket_ends *ends, int err)
{
	if (owner_filtered(owner))
		return true;
	if (!filter.failed_only || err)
		return ends_filtered(ends);
	event_count_filtered();
	return true;
}

static __always_inline void report(const struct owner *owner, const struct socket_ends *ends, __u64 since_ns, int err, bool udp)
{
	struct tcpconnect_event *event;

	if (connect_filtered(owner, ends, err))
		return;
	event = event_reserve_for(sizeof(*event), owner);
	if (!event)
		return;
	event->ends = *ends;
	event->latency_ns = event->task.ts_ns - since_ns;
	event->err = err;
	event->udp = udp;
	event_submit(event);
}

static __always_inline void tcp_state_changed(void *ctx, struct sock___part *sk, int oldstate, int newstate)
{
	struct owner *kept, owner = {};
	struct socket_ends ends;
	int err;

	if (oldstate == TCP_CLOSE && newstate == TCP_SYN_SENT) {
		/* connect_enter() has counted it */
		if (owner_is_unwanted() || !socket_is_tcp(sk))
			return;
		owner_fill(&owner);
		owner.since_ns = bpf_ktime_get_ns();
		owner_send_stacks(ctx, &owner, owner.since_ns);
		if (!owner_keep(sk, &owner) && !owner_filtered(&owner) && !socket_filtered(sk))
			event_count_no_room();
		return;
	}
	/* SYN_RECV: both sides connect at the same time, and it is not connected yet */
	if (newstate != TCP_ESTABLISHED && newstate != TCP_CLOSE)
		return;
	kept = owner_of(sk);
	if (!kept || !socket_is_tcp(sk))
		return;
	owner = *kept;
	owner_drop(sk);
	err = 0;
	if (newstate == TCP_CLOSE) {
		__u32 tid = (__u32)bpf_get_current_pid_tgid();
		struct connect_call *call = bpf_map_lookup_elem(&connecting, &tid);

		err = BPF_CORE_READ(sk, sk_err);
		/* connect(2) itself fails, and returns why */
		if (!err && call && call->sk == (__u64)sk)
			return;
		if (!err)
			err = CONNECT_GIVEN_UP;
	}
	socket_fill_ends(&ends, sk);
	report(&owner, &ends, owner.since_ns, err, false);
}

static __always_inline void tcp_accepted(struct sock___part *sk)
{
}

/* The functions for IPv6 call those for IPv4 where the address is mapped: this one's socket tells. */
static __always_inline int connect_enter(struct sock___part *sk, void *address, bool v6)
{
	struct connect_call call = { .sk = (__u64)sk, .address = (__u64)address };
	__u32 tid = (__u32)bpf_get_current_pid_tgid();

	if (!v6 && BPF_CORE_READ(sk, __sk_common.skc_family) == AF_INET6)
		return 0;
	/* each call is one event, whose task is this one: what the filter drops costs no more than this */
	if (owner_is_unwanted()) {
		if (task_pid_tgid() >> 32 != filter.self)
			event_count_filtered();
		/* an earlier call of the thread, under another name, whose return was missed */
		if (!task_is_never_wanted())
			bpf_map_delete_elem(&connecting, &tid);
		return 0;
	}
	call.start_ns = bpf_ktime_get_ns();
	bpf_map_update_elem(&connecting, &tid, &call, BPF_ANY);
	return 0;
}

static __always_inline void fill_remote(struct socket_ends *ends, const void *from)
{
	struct connect_address address = {};

	/* one of IPv4 has 16 bytes, in a buffer of 128 (struct sockaddr_storage) */
	bpf_probe_read_kernel(&address, sizeof(address), from);
	ends->remote_port = bpf_ntohs(address.port);
	if (address.family == AF_INET6)
		__builtin_memcpy(ends->remote, address.v6, sizeof(ends->remote));
	else
		address_map(ends->remote, address.v4);
}

static __always_inline int connect_exit(void *ctx, int result, bool v6, bool udp)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	struct connect_call *kept, call;
	struct owner owner = {};
	struct socket_ends ends;
	struct sock___part *sk;

	if (task_is_never_wanted())
		return 0;
	kept = bpf_map_lookup_elem(&connecting, &tid);
	if (!kept)
		return 0;
	call = *kept;
	sk = (struct sock___part *)call.sk;
	if (!v6 && BPF_CORE_READ(sk, __sk_common.skc_family) == AF_INET6)
		return 0;
	bpf_map_delete_elem(&connecting, &tid);
	/* TCP: the attempt goes on */
	if (!udp && result >= 0)
		return 0;
	owner_fill(&owner);
	owner_send_stacks(ctx, &owner, call.start_ns);
	socket_fill_ends(&ends, sk);
	if (result < 0)
		fill_remote(&ends, (void *)call.address);
	report(&owner, &ends, call.start_ns, -result, udp);
	return 0;
}

SEC("kprobe")
int BPF_KPROBE(tcp4_enter, struct sock___part *sk, void *address)
{
	return connect_enter(sk, address, false);
}

SEC("kretprobe")
int BPF_KRETPROBE(tcp4_exit, int result)
{
	return connect_exit(ctx, result, false, false);
}

SEC("kprobe")
int BPF_KPROBE(tcp6_enter, struct sock___part *sk, void *address)
{
	return connect_enter(sk, address, true);
}

SEC("kretprobe")
int BPF_KRETPROBE(tcp6_exit, int result)
{
	return connect_exit(ctx, result, true, false);
}

/* --udp */
SEC("kprobe")
int BPF_KPROBE(udp4_enter, struct sock___part *sk, void *address)
{
	return BPF_CORE_READ(sk, sk_protocol) == IPPROTO_UDP ? connect_enter(sk, address, false) : 0;
}

SEC("kretprobe")
int BPF_KRETPROBE(udp4_exit, int result)
{
	return connect_exit(ctx, result, false, true);
}

SEC("kprobe")
int BPF_KPROBE(udp6_enter, struct sock___part *sk, void *address)
{
	return BPF_CORE_READ(sk, sk_protocol) == IPPROTO_UDP ? connect_enter(sk, address, true) : 0;
}

SEC("kretprobe")
int BPF_KRETPROBE(udp6_exit, int result)
{
	return connect_exit(ctx, result, true, true);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
