/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What comes to TCP sockets that listen, and the length of their queues at that moment: each SYN, in tcp_conn_request(), and those last
 * packets of a handshake that find the queue of established connections full, in tcp_v4_syn_recv_sock() and tcp_v6_syn_recv_sock().  The
 * kernel decides there by the same two comparisons, and counts ListenOverflows and ListenDrops.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "lib/bpf/ends.bpf.h"
#include "lib/bpf/entries.bpf.h"
#include "lib/bpf/role.bpf.h"
#include "lib/bpf/socket.bpf.h"
#include "lib/bpf/tool.bpf.h"
#include "tcpsynbl.h"

#define ETH_P_IP 0x0800

/*
 * Whether the SYN queue, too, has room for one more than its limit: 0 and above.  At first what the kernel's release says; then what it
 * does, as a SYN that finds the queue at its limit is dropped, or not.
 */
int one_more SEC(".data.rule") = 0;

/* The listener at which the CPU's last packet was such a SYN, and its limit; 0: none. */
struct undecided {
	u64 listener;
	u64 limit;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct undecided);
} undecided SEC(".maps");

#define RULE_MAX 4	/* another CPU may have changed the queue meanwhile: so often it must be seen to be otherwise */

/* Addresses of the functions by enum tcpsynbl_entry, for the program on all of them. */
const volatile __u64 entry_at[TCPSYNBL_ENTRIES] = {};

struct sock___queue {
	u32 sk_ack_backlog;
	u32 sk_max_ack_backlog;
} __attribute__((preserve_access_index));

struct inet_connection_sock___queue {
	struct {
		struct {
			int counter;
		} qlen;
	} icsk_accept_queue;
} __attribute__((preserve_access_index));

/* Its first byte: an int before 5.12. */
struct net___cookies {
	struct {
		u8 sysctl_tcp_syncookies;
	} ipv4;
} __attribute__((preserve_access_index));

struct sk_buff___part {
	unsigned char *head;
	u16 transport_header;
	u16 network_header;
	__be16 protocol;
} __attribute__((preserve_access_index));

/* What became of the SYN before, if it found the queue at its limit and the CPU has had no ACK since.  This one may be the next. */
static __always_inline void learn(const struct sock___part *sk, const struct tcpsynbl_event *event)
{
	u32 zero = 0;
	struct undecided *before = bpf_map_lookup_elem(&undecided, &zero);

	if (!before)
		return;
	/* it may end a handshake, which leaves the queue */
	if (event->packet == LISTEN_ACK) {
		before->listener = 0;
		return;
	}
	if (before->listener == (u64)sk && before->limit == event->limit) {
		if (event->syn_queued > event->limit && one_more < RULE_MAX)
			one_more++;
		else if (event->syn_queued == event->limit && one_more > -RULE_MAX)
			one_more--;
	}
	before->listener = event->syn_queued == event->limit && event->queued <= event->limit ? (u64)sk : 0;
	before->limit = event->limit;
}

/* The queue of handshakes matters where no cookies are sent in its place.  Both have the same limit. */
static __always_inline u8 full_queue(const struct sock___part *sk, const struct tcpsynbl_event *event)
{
	const struct net___cookies *net = (const struct net___cookies *)BPF_CORE_READ(sk, __sk_common.skc_net.net);

	if (event->packet == LISTEN_ACK || !BPF_CORE_READ(net, ipv4.sysctl_tcp_syncookies))
		learn(sk, event);
	else
		return event->queued > event->limit ? FULL_ACCEPT : FULL_NONE;
	if (event->packet == LISTEN_SYN && event->syn_queued >= event->limit + (one_more >= 0))
		return FULL_SYN;
	return event->queued > event->limit ? FULL_ACCEPT : FULL_NONE;
}

/* The packet's source.  Whether it could be read. */
static __always_inline bool fill_remote(struct socket_ends *ends, const struct sk_buff___part *skb)
{
	const u8 *head = BPF_CORE_READ(skb, head), *network = head + BPF_CORE_READ(skb, network_header);
	__be16 port = 0;
	__be32 v4 = 0;

	if (bpf_probe_read_kernel(&port, sizeof(port), head + BPF_CORE_READ(skb, transport_header)))
		return false;
	ends->remote_port = bpf_ntohs(port);
	if (BPF_CORE_READ(skb, protocol) != bpf_htons(ETH_P_IP))
		return !bpf_probe_read_kernel(ends->remote, sizeof(ends->remote), network + 8);
	if (bpf_probe_read_kernel(&v4, sizeof(v4), network + 12))
		return false;
	address_map(ends->remote, v4);
	return true;
}

static __always_inline int arrives(const struct sock___part *sk, const struct sk_buff___part *skb, enum tcpsynbl_packet packet)
{
	struct tcpsynbl_event filled = {}, *event;

	filled.packet = packet;
	filled.queued = BPF_CORE_READ((const struct sock___queue *)sk, sk_ack_backlog);
	filled.limit = BPF_CORE_READ((const struct sock___queue *)sk, sk_max_ack_backlog);
	filled.syn_queued = BPF_CORE_READ((const struct inet_connection_sock___queue *)sk, icsk_accept_queue.qlen.counter);
	filled.full = full_queue(sk, &filled);
	/* a handshake that ends as it should has had its line */
	if (packet == LISTEN_ACK && !filled.full)
		return 0;
	if (filter.failed_only && !filled.full) {
		event_count_filtered();
		return 0;
	}
	socket_fill_ends(&filled.ends, sk);
	if (!fill_remote(&filled.ends, skb))
		filled.ends.remote_port = 0;
	if (ends_filtered(&filled.ends))
		return 0;
	event = event_reserve_as(sizeof(*event), 0);
	if (!event)
		return 0;
	event->ends = filled.ends;
	event->queued = filled.queued;
	event->limit = filled.limit;
	event->syn_queued = filled.syn_queued;
	event->packet = filled.packet;
	event->full = filled.full;
	event->reserved = 0;
	event_submit(event);
	return 0;
}

/* A packet over IPv4 that comes to a socket of IPv6 goes through the other function as well. */
static __always_inline int ack_arrives(const struct sock___part *sk, const struct sk_buff___part *skb, bool is_v6)
{
	if (is_v6 && BPF_CORE_READ(skb, protocol) == bpf_htons(ETH_P_IP))
		return 0;
	return arrives(sk, skb, LISTEN_ACK);
}

SEC("kprobe/tcp_conn_request") SEES_WHOLE
int BPF_KPROBE(syn, void *request_ops, void *af_ops, const struct sock___part *sk, const struct sk_buff___part *skb)
{
	return arrives(sk, skb, LISTEN_SYN);
}

SEC("kprobe/tcp_v4_syn_recv_sock") SEES_WHOLE
int BPF_KPROBE(ack_v4, const struct sock___part *sk, const struct sk_buff___part *skb)
{
	return ack_arrives(sk, skb, false);
}

SEC("kprobe/tcp_v6_syn_recv_sock") SEES_WHOLE
int BPF_KPROBE(ack_v6, const struct sock___part *sk, const struct sk_buff___part *skb)
{
	return ack_arrives(sk, skb, true);
}

/* Where one link takes them all. */
SEC("kprobe.multi") SEES_WHOLE
int BPF_KPROBE(any_entry, void *first, void *second, void *third, void *fourth)
{
	u64 at = bpf_get_func_ip(ctx);

	if (is_entry_of(at, entry_at[ENTRY_SYN]))
		return arrives(third, fourth, LISTEN_SYN);
	return ack_arrives(first, second, is_entry_of(at, entry_at[ENTRY_ACK_V6]));
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
