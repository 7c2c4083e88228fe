/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets that the kernel drops, with the reason that it gives. */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

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

/* The ports, if they are in the part of the packet that is not in pages, and it is no later fragment. */
static __always_inline void fill_ports(struct skbdrop_event *event, const unsigned char *head, __u32 at, __u32 tail)
{
	__be16 ports[2];

	switch (event->ip_protocol) {
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
	event->ends.local_port = bpf_ntohs(ports[0]);
	event->ends.remote_port = bpf_ntohs(ports[1]);
}

static __always_inline void fill_v4(struct skbdrop_event *event, const unsigned char *head, __u32 at, __u32 tail)
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
	event->has_addresses = true;
	event->ip_protocol = ip.protocol;
	address_map(event->ends.local, ip.from);
	address_map(event->ends.remote, ip.to);
	if (!(ip.fragment & bpf_htons(0x1fff)))
		fill_ports(event, head, at + (ip.version & 15) * 4, tail);
}

static __always_inline void fill_v6(struct skbdrop_event *event, const unsigned char *head, __u32 at, __u32 tail)
{
	struct {
		__u8 version, rest[3];
		__be16 length;
		__u8 next, hops;
		__u8 from[16], to[16];
	} ip;

	if (at + sizeof(ip) > tail || bpf_probe_read_kernel(&ip, sizeof(ip), head + at) || ip.version >> 4 != 6)
		return;
	event->has_addresses = true;
	event->ip_protocol = ip.next;
	__builtin_memcpy(event->ends.local, ip.from, sizeof(ip.from));
	__builtin_memcpy(event->ends.remote, ip.to, sizeof(ip.to));
	/* behind other headers there are no ports here */
	fill_ports(event, head, at + sizeof(ip), tail);
}

/* One that this machine sends may have no header yet: its socket has what will be in it. */
static __always_inline void fill_from_socket(struct skbdrop_event *event, const struct sock___part *sk)
{
	__u8 state = sk ? BPF_CORE_READ(sk, __sk_common.skc_state) : 0;
	__u16 family = sk ? BPF_CORE_READ(sk, __sk_common.skc_family) : 0;

	/* those in these states are no whole sockets */
	if ((family != AF_INET && family != AF_INET6) || state == TCP_TIME_WAIT || state == TCP_NEW_SYN_RECV)
		return;
	event->has_addresses = true;
	event->ip_protocol = BPF_CORE_READ(sk, sk_protocol);
	socket_fill_ends(&event->ends, sk);
}

static __always_inline int dropped(struct sk_buff___part *skb, __u64 location, __u32 reason, struct sock___part *rx_sk)
{
	struct skbdrop_event *event = event_reserve_as(sizeof(*event), 0);
	__u64 key = (__u64)skb;
	unsigned char *head;
	__u32 *qdisc, tail;
	__u16 at;

	if (!event)
		return 0;
	__builtin_memset(&event->ends, 0, sizeof(event->ends));
	event->ends.netns = skb_netns(skb, rx_sk);
	event->location = location;
	event->reason = reason;
	event->length = BPF_CORE_READ(skb, len);
	event->ethertype = bpf_ntohs(BPF_CORE_READ(skb, protocol));
	event->has_addresses = false;
	event->ip_protocol = 0;
	event->qdisc_reason = DROP_NO_VALUE;
	qdisc = has_qdisc_drop ? bpf_map_lookup_elem(&qdisc_drops, &key) : NULL;
	if (qdisc) {
		event->qdisc_reason = *qdisc;
		bpf_map_delete_elem(&qdisc_drops, &key);
	}
	head = BPF_CORE_READ(skb, head);
	tail = BPF_CORE_READ(skb, tail);
	at = BPF_CORE_READ(skb, network_header);
	if (event->ethertype == ETH_P_IP)
		fill_v4(event, head, at, tail);
	else if (event->ethertype == ETH_P_IPV6)
		fill_v6(event, head, at, tail);
	else if (!event->ethertype)
		fill_from_socket(event, BPF_CORE_READ(skb, sk));
	event_submit(event);
	return 0;
}

/*
 * Mostly in interrupts: as a program on the raw tracepoint it is not skipped when these hit another program.  It has as many
 * arguments as the kernel's event has.
 */
SEC("raw_tp/kfree_skb")
int free_raw(u64 *ctx)
{
	return dropped((void *)ctx[0], ctx[1], has_reason ? (__u32)ctx[2] : DROP_NO_VALUE, has_rx_sk ? (void *)ctx[3] : NULL);
}

/* From 7.0 on raw ones can be preempted, and the kernel then skips them for others. */
SEC("tp/skb/kfree_skb")
int free_record(struct tp_skb__kfree_skb *ctx)
{
	__u32 reason = bpf_core_field_exists(ctx->reason) ? ctx->reason : DROP_NO_VALUE;
	const void *rx_sk = bpf_core_field_exists(ctx->rx_sk) ? ctx->rx_sk : NULL;

	return dropped((void *)ctx->skbaddr, (__u64)ctx->location, reason, (void *)rx_sk);
}

/* Since 7.2; the packet is freed after it. */
SEC("tp/qdisc/qdisc_drop")
int qdisc_drop(struct tp_qdisc__qdisc_drop *ctx)
{
	__u64 key = (__u64)ctx->skbaddr;
	__u32 reason = ctx->reason;

	bpf_map_update_elem(&qdisc_drops, &key, &reason, BPF_ANY);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
