/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets that the kernel drops, with the reason that it gives. */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "lib/bpf/ends.bpf.h"
#include "lib/bpf/place.bpf.h"
#include "lib/bpf/row_stack.bpf.h"
#include "lib/bpf/socket.bpf.h"
#include "lib/bpf/tool.bpf.h"
#include "skbdrop.h"

#define ETH_P_IP 0x0800
#define ETH_P_IPV6 0x86dd
/* Inodes of namespaces begin at PROC_DYNAMIC_FIRST (fs/proc/generic.c), but for those of the initial ones, right below it. */
#define NETNS_INO_MIN 0xefffff00u

const volatile bool has_reason = false;	/* since 5.17 */
const volatile bool has_rx_sk = false;	/* since 6.11 */
const volatile bool has_qdisc_drop = false;	/* since 7.2 */
const volatile bool tells_places = false;	/* since 5.13 */

struct net_device___part {
	struct {
		struct net___part *net;
	} nd_net;
} __attribute__((preserve_access_index));

struct sk_buff___part {
	struct net_device___part *dev;
	struct sock___part *sk;
	unsigned int len;
	__be16 protocol;
	__u16 transport_header;
	__u16 network_header;
	unsigned int tail;	/* from head, on 64-bit kernels */
	unsigned char *head;
} __attribute__((preserve_access_index));

struct tp_skb__kfree_skb {
	const void *skbaddr;
	const void *location;
	const void *rx_sk;
	u32 reason;
} __attribute__((preserve_access_index));

struct tp_qdisc__qdisc_drop {
	const void *skbaddr;
	u32 reason;
} __attribute__((preserve_access_index));

/*
 * Why a queueing discipline drops a packet, by its address, until it is freed; which may be a moment later, with others.  Made
 * only where the kernel tells.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, __u64);
	__type(value, __u32);
} qdisc_drops SEC(".maps");

static __always_inline __u32 netns_of(struct net___part *net)
{
	__u32 inum = BPF_CORE_READ(net, ns.inum);

	/* skb->dev is also the link of a tree (TCP), or a note of UDP's: what it then leads to is no namespace */
	return inum >= NETNS_INO_MIN ? inum : 0;
}

static __always_inline __u32 skb_netns(struct sk_buff___part *skb, struct sock___part *rx_sk)
{
	struct sock___part *sk = rx_sk ? rx_sk : BPF_CORE_READ(skb, sk);
	__u32 netns = sk ? netns_of(BPF_CORE_READ(sk, __sk_common.skc_net.net)) : 0;

	return netns ? netns : netns_of(BPF_CORE_READ(skb, dev, nd_net.net));
}

/* What the packet's headers say, or its socket. */
struct packet {
	struct socket_ends ends;
	__u16 ethertype;
	__u8 has_addresses;
	__u8 ip_protocol;
};

/* The ports, if they are in the part of the packet that is not in pages, and it is no later fragment. */
static __always_inline void fill_ports(struct packet *packet, const unsigned char *head, __u32 at, __u32 tail)
{
	__be16 ports[2];

	switch (packet->ip_protocol) {
	case IPPROTO_TCP:
	case IPPROTO_UDP:
	case IPPROTO_DCCP:
	case IPPROTO_SCTP:
	case IPPROTO_UDPLITE:
		break;
	default:
		return;
	}
	if (at + sizeof(ports) > tail || bpf_probe_read_kernel(ports, sizeof(ports), head + at))
		return;
	packet->ends.local_port = bpf_ntohs(ports[0]);
	packet->ends.remote_port = bpf_ntohs(ports[1]);
}

static __always_inline void fill_v4(struct packet *packet, const unsigned char *head, __u32 at, __u32 tail)
{
	struct {
		__u8 version, tos;
		__be16 length, id, fragment;
		__u8 ttl, protocol;
		__be16 sum;
		__be32 from, to;
	} ip;

	if (at + sizeof(ip) > tail || bpf_probe_read_kernel(&ip, sizeof(ip), head + at) || ip.version >> 4 != 4)
		return;
	packet->has_addresses = true;
	packet->ip_protocol = ip.protocol;
	address_map(packet->ends.local, ip.from);
	address_map(packet->ends.remote, ip.to);
	if (!(ip.fragment & bpf_htons(0x1fff)))
		fill_ports(packet, head, at + (ip.version & 15) * 4, tail);
}

static __always_inline void fill_v6(struct packet *packet, const unsigned char *head, __u32 at, __u32 tail)
{
	struct {
		__u8 version, rest[3];
		__be16 length;
		__u8 next, hops;
		__u8 from[16], to[16];
	} ip;

	if (at + sizeof(ip) > tail || bpf_probe_read_kernel(&ip, sizeof(ip), head + at) || ip.version >> 4 != 6)
		return;
	packet->has_addresses = true;
	packet->ip_protocol = ip.next;
	__builtin_memcpy(packet->ends.local, ip.from, sizeof(ip.from));
	__builtin_memcpy(packet->ends.remote, ip.to, sizeof(ip.to));
	/* behind other headers there are no ports here */
	fill_ports(packet, head, at + sizeof(ip), tail);
}

/* One that this machine sends may have no header yet: its socket has what will be in it. */
static __always_inline void fill_from_socket(struct packet *packet, const struct sock___part *sk)
{
	__u8 state = sk ? BPF_CORE_READ(sk, __sk_common.skc_state) : 0;
	__u16 family = sk ? BPF_CORE_READ(sk, __sk_common.skc_family) : 0;

	/* those in these states are no whole sockets */
	if ((family != AF_INET && family != AF_INET6) || state == TCP_TIME_WAIT || state == TCP_NEW_SYN_RECV)
		return;
	packet->has_addresses = true;
	packet->ip_protocol = BPF_CORE_READ(sk, sk_protocol);
	socket_fill_ends(&packet->ends, sk);
}

static __always_inline void fill_packet(struct packet *packet, struct sk_buff___part *skb, struct sock___part *rx_sk)
{
	unsigned char *head = BPF_CORE_READ(skb, head);
	__u16 at = BPF_CORE_READ(skb, network_header);
	__u32 tail = BPF_CORE_READ(skb, tail);

	packet->ends.netns = skb_netns(skb, rx_sk);
	packet->ethertype = bpf_ntohs(BPF_CORE_READ(skb, protocol));
	if (packet->ethertype == ETH_P_IP)
		fill_v4(packet, head, at, tail);
	else if (packet->ethertype == ETH_P_IPV6)
		fill_v6(packet, head, at, tail);
	else if (!packet->ethertype)
		fill_from_socket(packet, BPF_CORE_READ(skb, sk));
}

/* -4, -6, -P, -L, -D: a packet without addresses passes none of them. */
static __always_inline bool packet_filtered(const struct packet *packet)
{
	if (!socket_filter.active || (packet->has_addresses && ends_wanted(&packet->ends)))
		return false;
	event_count_filtered();
	return true;
}

static __always_inline int dropped(void *ctx, struct sk_buff___part *skb, __u64 location, __u32 reason, struct sock___part *rx_sk)
{
	struct skbdrop_named_event *named;
	struct skbdrop_event *event;
	__u32 *qdisc, qdisc_reason = DROP_NO_VALUE;
	struct packet filled = {}, packet;
	__u64 key = (__u64)skb;

	qdisc = has_qdisc_drop ? bpf_map_lookup_elem(&qdisc_drops, &key) : NULL;
	if (qdisc) {
		qdisc_reason = *qdisc;
		bpf_map_delete_elem(&qdisc_drops, &key);
	}
	fill_packet(&filled, skb, rx_sk);
	/* as a helper writes it the verifier knows nothing of it, and does not follow each way to fill it to the end (4 M instructions) */
	bpf_probe_read_kernel(&packet, sizeof(packet), &filled);
	if (packet_filtered(&packet))
		return 0;
	if (tells_places && !place_is_told(location)) {
		named = event_reserve_as(sizeof(*named), 0);
		if (!named)
			return 0;
		place_tell(location, named->place);
		event = &named->event;
		event->has_name = true;
	} else {
		event = event_reserve_as(sizeof(*event), 0);
		if (!event)
			return 0;
		event->has_name = false;
	}
	event->ends = packet.ends;
	event->location = location;
	event->reason = reason;
	event->qdisc_reason = qdisc_reason;
	event->length = BPF_CORE_READ(skb, len);
	event->ethertype = packet.ethertype;
	event->has_addresses = packet.has_addresses;
	event->ip_protocol = packet.ip_protocol;
	event->reserved = 0;
	event_submit_from(ctx, event);
	return 0;
}

/*
 * Mostly in interrupts: as a program on the raw tracepoint it is not skipped when these hit another program.  It has as many
 * arguments as the kernel's event has.
 */
SEC("raw_tp/kfree_skb")
int free_raw(u64 *ctx)
{
	return dropped(ctx, (void *)ctx[0], ctx[1], has_reason ? (__u32)ctx[2] : DROP_NO_VALUE, has_rx_sk ? (void *)ctx[3] : NULL);
}

/* From 7.0 on raw ones can be preempted, and the kernel then skips them for others. */
SEC("tp/skb/kfree_skb")
int TP_PROG(free_record, struct tp_skb__kfree_skb *ctx)
{
	__u32 reason = bpf_core_field_exists(ctx->reason) ? ctx->reason : DROP_NO_VALUE;
	const void *rx_sk = bpf_core_field_exists(ctx->rx_sk) ? ctx->rx_sk : NULL;

	return dropped(ctx, (void *)ctx->skbaddr, (__u64)ctx->location, reason, (void *)rx_sk);
}

/* Since 7.2; the packet is freed after it. */
SEC("tp/qdisc/qdisc_drop")
int TP_PROG(qdisc_drop, struct tp_qdisc__qdisc_drop *ctx)
{
	__u64 key = (__u64)ctx->skbaddr;
	__u32 reason = ctx->reason;

	bpf_map_update_elem(&qdisc_drops, &key, &reason, BPF_ANY);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
