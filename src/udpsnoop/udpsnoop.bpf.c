/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UDP sockets that send and receive.  A send is a call of the socket's sendmsg function, from its entry, where the address that the
 * program gave is at hand, to its return, where the result is.  A datagram that is received ends in skb_consume_udp(), in the process that
 * reads it, with the size that the call returns: its headers tell both ends also of sockets that have no address.  A peek has a size below
 * 0 there.  The receiving socket's queue being full is the tracepoint udp_fail_queue_rcv_skb's.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "lib/bpf/call.bpf.h"
#include "lib/bpf/ends.bpf.h"
#include "lib/bpf/event_counts.bpf.h"
#include "lib/bpf/role.bpf.h"
#include "lib/bpf/socket.bpf.h"
#include "lib/bpf/tool.bpf.h"
#include "udpsnoop.h"

#define HEADERS_UNSET 0xffff

/* Which function a send came through. */
enum way { BY_V4 = 1, BY_V6, BY_PAGE };

struct call {
	struct socket_ends ends;
	u64 sp;			/* the stack pointer at the entry */
	u32 way;
	u32 is_filtered;	/* BY_PAGE */
};

CALLS(UDP_CALLS, struct call);

/* struct sockaddr_in and sockaddr_in6 */
struct sockaddr_part {
	u16 family;
	__be16 port;
	__be32 v4_or_flow;
	u8 v6[16];
};

struct msghdr___part {
	void *msg_name;
} __attribute__((preserve_access_index));

struct sk_buff___headers {
	unsigned char *head;
	u16 transport_header;
	u16 network_header;
	unsigned int len;
	struct {
		struct {
			int counter;
		} refs;
	} users;
} __attribute__((preserve_access_index));

struct tp_udp__udp_fail_queue_rcv_skb {
	int rc;
	u16 sport;
	u16 dport;
	u16 family;
	u8 saddr[28];
	u8 daddr[28];
} __attribute__((preserve_access_index));

/* The other end is what the program named, or the one that the socket is connected to. */
static __always_inline void fill_remote(struct socket_ends *ends, const struct msghdr___part *msg)
{
	const u8 *name = BPF_CORE_READ(msg, msg_name);
	struct sockaddr_part to = {};

	if (!name || bpf_probe_read_kernel(&to, 8, name) || (to.family != AF_INET && to.family != AF_INET6))
		return;
	ends->remote_port = bpf_ntohs(to.port);
	if (to.family == AF_INET)
		address_map(ends->remote, to.v4_or_flow);
	else
		bpf_probe_read_kernel(ends->remote, sizeof(ends->remote), name + 8);
}

static __always_inline int send_begins(const struct sock___part *sk, const struct msghdr___part *msg, enum way way)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct call call = { .way = way };

	if (task_filtered()) {
		if (filter.active)
			call_drop_stale(&calls, &tid);
		return 0;
	}
	socket_fill_ends(&call.ends, sk);
	fill_remote(&call.ends, msg);
	if (ends_filtered(&call.ends)) {
		call_drop_stale(&calls, &tid);
		return 0;
	}
	call_begin(&calls, &tid, &call);
	return 0;
}

static __always_inline int send_ends(int result, enum way way)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct udpsnoop_event *event;
	struct call *call;

	/* nothing: filtered, lost, or begun before the tool was attached; another way: a call within the call */
	call = bpf_map_lookup_elem(&calls, &tid);
	if (!call || call->way != way)
		return 0;
	if (call->is_filtered) {
		event_count_filtered();
	} else if (!result_filtered(result)) {
		event = event_reserve(sizeof(*event));
		if (event) {
			event->ends = call->ends;
			event->err = result < 0 ? -result : 0;
			event->bytes = result < 0 ? 0 : result;
			event->op = UDP_SEND;
			event->datagram_bytes = 0;
			event_submit(event);
		}
	}
	call_end(&calls, &tid);
	return 0;
}

/* udp_sendpage() calls udp_sendmsg(), for the first part of a datagram, or for all of it where the device takes no pages. */
static __always_inline bool is_within_page(u64 sp)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct call *call = bpf_map_lookup_elem(&calls, &tid);

	/* one that was left behind was no deeper in the stack */
	return call && call->way == BY_PAGE && sp < call->sp;
}

SEC("kprobe")
int BPF_KPROBE(v4_enter, struct sock___part *sk, struct msghdr___part *msg)
{
	/* a mapped address: udpv6_sendmsg() calls this function */
	if (BPF_CORE_READ(sk, __sk_common.skc_family) != AF_INET)
		return 0;
	if (is_within_page(PT_REGS_SP(ctx)))
		return 0;
	return send_begins(sk, msg, BY_V4);
}

SEC("kretprobe")
int v4_exit(struct pt_regs *ctx)
{
	return send_ends(PT_REGS_RC(ctx), BY_V4);
}

SEC("kprobe")
int BPF_KPROBE(v6_enter, struct sock___part *sk, struct msghdr___part *msg)
{
	return send_begins(sk, msg, BY_V6);
}

SEC("kretprobe")
int v6_exit(struct pt_regs *ctx)
{
	return send_ends(PT_REGS_RC(ctx), BY_V6);
}

/*
 * Up to 6.4: sendfile(2) and splice(2), of IPv4; later they are as other sends.  A call that is not wanted is kept as well, so that those
 * within it are known.
 */
SEC("kprobe")
int BPF_KPROBE(page_enter, struct sock___part *sk)
{
	struct call call = { .way = BY_PAGE, .sp = PT_REGS_SP(ctx) };
	u32 tid = (u32)bpf_get_current_pid_tgid();

	if (task_pid_tgid() >> 32 == filter.self)
		return 0;
	socket_fill_ends(&call.ends, sk);
	call.is_filtered = !task_wanted(task_pid_tgid(), NULL) || !ends_wanted(&call.ends);
	call_begin(&calls, &tid, &call);
	return 0;
}

SEC("kretprobe")
int page_exit(struct pt_regs *ctx)
{
	return send_ends(PT_REGS_RC(ctx), BY_PAGE);
}

/* The ends that a received datagram's headers have, which stay in its memory. */
static __always_inline bool fill_from_headers(struct socket_ends *ends, const struct sk_buff___headers *skb)
{
	const u8 *head = BPF_CORE_READ(skb, head);
	const u8 *network = head + BPF_CORE_READ(skb, network_header);
	u16 transport = BPF_CORE_READ(skb, transport_header);
	__be16 ports[2];
	__be32 v4[2];
	u8 version;

	if (transport == HEADERS_UNSET || bpf_probe_read_kernel(ports, sizeof(ports), head + transport) ||
	    bpf_probe_read_kernel(&version, sizeof(version), network))
		return false;
	ends->remote_port = bpf_ntohs(ports[0]);
	ends->local_port = bpf_ntohs(ports[1]);
	if (version >> 4 == 6)
		return !bpf_probe_read_kernel(ends->remote, sizeof(ends->remote), network + 8) &&
		       !bpf_probe_read_kernel(ends->local, sizeof(ends->local), network + 24);
	if (bpf_probe_read_kernel(v4, sizeof(v4), network + 12))
		return false;
	address_map(ends->remote, v4[0]);
	address_map(ends->local, v4[1]);
	return true;
}

SEC("kprobe") SEES_WHOLE
int BPF_KPROBE(received, struct sock___part *sk, struct sk_buff___headers *skb, int size)
{
	struct udpsnoop_event *event;
	struct socket_ends ends;

	/* a peek, which of an empty datagram is seen by the queue's part in it */
	if (size < 0 || (!size && BPF_CORE_READ(skb, users.refs.counter) > 1))
		return 0;
	if (task_filtered())
		return 0;
	if (fill_from_headers(&ends, skb))
		ends.netns = socket_netns(sk);
	else
		socket_fill_ends(&ends, sk);
	if (ends_filtered(&ends) || result_filtered(size))
		return 0;
	event = event_reserve(sizeof(*event));
	if (!event)
		return 0;
	event->ends = ends;
	event->err = 0;
	event->bytes = size;
	event->op = UDP_RECV;
	event->datagram_bytes = BPF_CORE_READ(skb, len);
	event_submit(event);
	return 0;
}

static __always_inline int dropped(const struct socket_ends *ends, int rc)
{
	struct udpsnoop_event *event;

	/* whichever task the interrupt hit: it is none of its events */
	if (filter.active) {
		event_count_filtered();
		return 0;
	}
	if (ends_filtered(ends))
		return 0;
	event = event_reserve_as(sizeof(*event), 0);
	if (!event)
		return 0;
	event->task.reserved = TASK_UNKNOWN;
	event->ends = *ends;
	event->err = -rc;
	event->bytes = 0;
	event->op = UDP_DROP;
	event->datagram_bytes = 0;
	event_submit(event);
	return 0;
}

/* Up to 6.8 the other end is not told, unless the socket is connected. */
SEC("raw_tp/udp_fail_queue_rcv_skb")
int BPF_PROG(dropped_raw, int rc, struct sock___part *sk)
{
	struct socket_ends ends;

	socket_fill_ends(&ends, sk);
	return dropped(&ends, rc);
}

SEC("tp/udp/udp_fail_queue_rcv_skb")
int TP_PROG(dropped_record, struct tp_udp__udp_fail_queue_rcv_skb *ctx)
{
	struct socket_ends ends = { .remote_port = ctx->sport, .local_port = ctx->dport };
	struct sockaddr_part from, to;

	bpf_core_read(&from, sizeof(from), &ctx->saddr);
	bpf_core_read(&to, sizeof(to), &ctx->daddr);
	if (ctx->family == AF_INET6) {
		__builtin_memcpy(ends.remote, from.v6, sizeof(ends.remote));
		__builtin_memcpy(ends.local, to.v6, sizeof(ends.local));
	} else {
		address_map(ends.remote, from.v4_or_flow);
		address_map(ends.local, to.v4_or_flow);
	}
	return dropped(&ends, ctx->rc);
}

CALL_THREAD_EXIT(call_thread_exit(&calls))

char LICENSE[] SEC("license") = "Dual BSD/GPL";
