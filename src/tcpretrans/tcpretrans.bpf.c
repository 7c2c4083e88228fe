/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP segments being sent again.  tcp_retransmit_skb means "sent" up to 6.12; newer kernels (7.2) have an err in its record, and
 * tell of those that could not be sent too.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define EVENTS_SIZE (256 * 1024)	/* these are rare; zeroing and mapping 1 MB would be a third of the start */

#include "lib/bpf/ends.bpf.h"
#include "lib/bpf/socket.bpf.h"
#include "lib/bpf/tool.bpf.h"
#include "tcpretrans.h"

struct tp_tcp__tcp_retransmit_skb {
	const void *skbaddr;
	const void *skaddr;
	int err;
} __attribute__((preserve_access_index));

struct tp_tcp__tcp_retransmit_synack {
	const void *skaddr;
	const void *req;
} __attribute__((preserve_access_index));

struct sk_buff___part {
	char cb[48];
} __attribute__((preserve_access_index));

/* NULL where the event is filtered, or lost. */
static __always_inline struct tcpretrans_event *reserve(__u32 type, __u32 state, const struct socket_ends *ends)
{
	struct tcpretrans_event *event;

	if (ends_filtered(ends))
		return NULL;
	event = event_reserve_as(sizeof(*event), 0);
	if (event) {
		event->ends = *ends;
		event->type = type;
		event->state = state;
		event->seq = 0;
		event->err = 0;
	}
	return event;
}

static __always_inline int retransmitted(const struct sock___part *sk, const struct sk_buff___part *skb, int err)
{
	struct tcpretrans_event *event;
	struct socket_ends ends;

	socket_fill_ends(&ends, sk);
	event = reserve(RETRANS_SEGMENT, BPF_CORE_READ(sk, __sk_common.skc_state), &ends);
	if (!event)
		return 0;
	/* the first member of struct tcp_skb_cb, which TCP keeps there */
	bpf_core_read(&event->seq, sizeof(event->seq), &skb->cb);
	event->err = -err;
	event_submit(event);
	return 0;
}

/* A request has the addresses where a socket has them, and its local port only there. */
static __always_inline int retransmitted_synack(const struct sock___part *sk, const struct sock___part *req)
{
	struct tcpretrans_event *event;
	struct socket_ends ends;

	socket_fill_addresses(&ends, req);
	ends.local_port = BPF_CORE_READ(req, __sk_common.skc_num);
	ends.netns = socket_netns(sk);
	event = reserve(RETRANS_SYNACK, TCP_NEW_SYN_RECV, &ends);
	if (event)
		event_submit(event);
	return 0;
}

SEC("raw_tp/tcp_retransmit_skb")
int BPF_PROG(segment_raw, struct sock___part *sk, struct sk_buff___part *skb)
{
	return retransmitted(sk, skb, 0);
}

SEC("tp/tcp/tcp_retransmit_skb")
int TP_PROG(segment_record, struct tp_tcp__tcp_retransmit_skb *ctx)
{
	int err = bpf_core_field_exists(ctx->err) ? ctx->err : 0;

	return retransmitted(ctx->skaddr, ctx->skbaddr, err);
}

SEC("raw_tp/tcp_retransmit_synack")
int BPF_PROG(synack_raw, struct sock___part *sk, struct sock___part *req)
{
	return retransmitted_synack(sk, req);
}

SEC("tp/tcp/tcp_retransmit_synack")
int TP_PROG(synack_record, struct tp_tcp__tcp_retransmit_synack *ctx)
{
	return retransmitted_synack(ctx->skaddr, ctx->req);
}

SEC("kprobe")
int BPF_KPROBE(loss_probe, struct sock___part *sk)
{
	struct tcpretrans_event *event;
	struct socket_ends ends;

	socket_fill_ends(&ends, sk);
	event = reserve(RETRANS_PROBE, BPF_CORE_READ(sk, __sk_common.skc_state), &ends);
	if (event)
		event_submit(event);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
