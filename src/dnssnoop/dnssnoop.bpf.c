/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queries to name servers and their answers, as the kernel's sockets send and receive them.  A datagram is seen when it is complete and
 * goes to IP, in ip_send_skb() and ip6_send_skb(): in the task that sends, once, whichever call made it of how many parts.  An answer is
 * seen in __udp_enqueue_schedule_skb(), when it is put into the queue of the socket that asked; that it waits there for its reader is not
 * the server's time.  Both have the addresses that the program knows, whatever address translation makes of them in between.
 *
 * A query is kept by its ends and its number until the answer comes.  Queries without one are told by the user side, which looks for
 * them once a second, and runs the program `tell` for each.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "lib/bpf/ends.bpf.h"
#include "lib/bpf/owner.bpf.h"
#include "lib/bpf/role.bpf.h"
#include "lib/bpf/socket.bpf.h"
#include "lib/bpf/tool.bpf.h"
#include "dnssnoop.h"

#define HEADER_SIZE 12
#define FLAG_RESPONSE 0x8000

struct query {
	struct owner owner;	/* first: it begins with since_ns, when the query was sent, which the user side reads */
	u32 is_begun;		/* it waits for an answer; else it was only just made */
	u32 question_size;
	u8 question[DNS_QUESTION_SIZE];
};

_Static_assert(sizeof(struct query) <= DNS_QUERY_MAX, "as the user side reads it");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, DNS_QUERIES);
	__type(key, struct dns_key);
	__type(value, struct query);
} queries SEC(".maps");

const volatile __u64 nothing_kept[sizeof(struct query) / sizeof(__u64)] = {};

struct sk_buff___part {
	const struct sock___part *sk;
	unsigned char *head;
	u16 transport_header;
	u16 network_header;
	unsigned int len;
	unsigned int data_len;
	unsigned char *data;
} __attribute__((preserve_access_index));

/* struct udphdr */
struct udp_part {
	__be16 source, dest, size, check;
};

/* A message's header. */
struct dns_part {
	__be16 id, flags, questions, answers, authorities, others;
};

static __always_inline bool is_server_port(u16 port)
{
	return socket_filter.ports_count ? port_is_among(socket_filter.ports, socket_filter.ports_count, port) : port == DNS_PORT;
}

/* Whether it is a query that a server is to answer. */
static __always_inline bool is_query(const struct dns_part *dns)
{
	return !(dns->flags & bpf_htons(FLAG_RESPONSE)) && dns->questions;
}

/* The ends and the protocol that a datagram's headers have; is_answer: local is the destination. */
static __always_inline bool fill_ends(struct socket_ends *ends, const struct sk_buff___part *skb, bool is_answer)
{
	const u8 *network = BPF_CORE_READ(skb, head) + BPF_CORE_READ(skb, network_header);
	u8 *source = is_answer ? ends->remote : ends->local, *dest = is_answer ? ends->local : ends->remote;
	__be32 v4[2];
	u8 head[10];

	if (bpf_probe_read_kernel(head, sizeof(head), network))
		return false;
	if (head[0] >> 4 == 6)
		return !bpf_probe_read_kernel(source, 16, network + 8) && !bpf_probe_read_kernel(dest, 16, network + 24);
	if (head[9] != IPPROTO_UDP || bpf_probe_read_kernel(v4, sizeof(v4), network + 12))
		return false;
	address_map(source, v4[0]);
	address_map(dest, v4[1]);
	return true;
}

/* The payload of a datagram, of which size bytes are in one piece. */
struct payload {
	const u8 *data;
	u32 size;
};

static __always_inline void fill_payload(struct payload *payload, const struct sk_buff___part *skb, const u8 *udp)
{
	const u8 *end = BPF_CORE_READ(skb, data) + BPF_CORE_READ(skb, len) - BPF_CORE_READ(skb, data_len);

	payload->data = udp + sizeof(struct udp_part);
	payload->size = end > payload->data ? end - payload->data : 0;
}

/* As much of size bytes as there is room for; returns that. */
static __always_inline u32 read_bytes(u8 *to, const u32 room, const u8 *from, u32 size)
{
	if (size > room)
		size = room;
	barrier_var(size);
	if (size > room)
		return 0;
	return bpf_probe_read_kernel(to, size, from) ? 0 : size;
}

/* Room for a row of that size about the query; without an answer. */
static __always_inline struct dnssnoop_event *make_event(const struct dns_key *key, const struct query *query, u32 outcome, const u32 size)
{
	struct dnssnoop_event *event = event_reserve_of(size, &query->owner);

	if (!event)
		return NULL;
	event->key = *key;
	event->outcome = outcome;
	event->latency_ns = event->task.ts_ns - query->owner.since_ns;
	event->question_size = query->question_size;
	event->answer_size = 0;
	__builtin_memcpy(event->question, query->question, sizeof(event->question));
	return event;
}

/* The query has its row, but where another program has told of it meanwhile: who takes its entry out is the one. */
static __always_inline void finish(const struct dns_key *key, struct dnssnoop_event *event)
{
	/* the verifier wants each way with an event to hand it over or to discard it */
	if (!event) {
		bpf_map_delete_elem(&queries, key);
		return;
	}
	if (bpf_map_delete_elem(&queries, key))
		event_discard(event);
	else
		event_submit(event);
}

/* A query goes out. */
static __always_inline int query_sent(const struct dns_key *key, const u8 *message, u32 size, bool is_user)
{
	struct query *query;

	if (task_filtered() || ends_filtered(&key->ends))
		return 0;
	query = bpf_map_lookup_elem(&queries, key);
	if (query && query->is_begun)
		finish(key, make_event(key, query, DNS_RESENT, offsetof(struct dnssnoop_event, answer)));
	bpf_map_update_elem(&queries, key, (const void *)&nothing_kept, BPF_NOEXIST);
	query = bpf_map_lookup_elem(&queries, key);
	if (!query) {
		event_count_no_room();
		return 0;
	}
	owner_fill(&query->owner);
	query->owner.since_ns = bpf_ktime_get_ns();
	if (size > sizeof(query->question))
		size = sizeof(query->question);
	barrier_var(size);
	if (size > sizeof(query->question))
		size = 0;
	if (is_user)
		bpf_probe_read_user(query->question, size, message);
	else
		bpf_probe_read_kernel(query->question, size, message);
	query->question_size = size;
	query->is_begun = 1;
	return 0;
}

/* An answer has come; nothing is kept of queries that nobody wants. */
static __always_inline int answer_came(const struct dns_key *key, const struct dns_part *dns, const u8 *message, u32 size)
{
	struct query *query = bpf_map_lookup_elem(&queries, key);
	struct dnssnoop_event *event;

	if (!query || !query->is_begun)
		return 0;
	if (filter.failed_only && !(dns->flags & bpf_htons(0xf))) {
		if (!bpf_map_delete_elem(&queries, key))
			event_count_filtered();
		return 0;
	}
	event = make_event(key, query, DNS_ANSWERED, sizeof(*event));
	if (event)
		event->answer_size = read_bytes(event->answer, sizeof(event->answer), message, size);
	finish(key, event);
	return 0;
}

static __always_inline int datagram_sent(const struct sk_buff___part *skb)
{
	const u8 *udp = BPF_CORE_READ(skb, head) + BPF_CORE_READ(skb, transport_header);
	struct dns_key key = { .protocol = IPPROTO_UDP };
	struct payload payload;
	struct udp_part ports;
	struct dns_part dns;

	if (bpf_probe_read_kernel(&ports, sizeof(ports), udp) || !is_server_port(bpf_ntohs(ports.dest)))
		return 0;
	fill_payload(&payload, skb, udp);
	if (payload.size < sizeof(dns) || bpf_probe_read_kernel(&dns, sizeof(dns), payload.data) || !is_query(&dns) ||
	    !fill_ends(&key.ends, skb, false))
		return 0;
	key.ends.local_port = bpf_ntohs(ports.source);
	key.ends.remote_port = bpf_ntohs(ports.dest);
	key.ends.netns = socket_netns(BPF_CORE_READ(skb, sk));
	key.id = dns.id;
	return query_sent(&key, payload.data, payload.size, false);
}

SEC("kprobe/ip_send_skb") SEES_WHOLE
int BPF_KPROBE(v4_sent, void *net, const struct sk_buff___part *skb)
{
	return datagram_sent(skb);
}

SEC("kprobe/ip6_send_skb") SEES_WHOLE
int BPF_KPROBE(v6_sent, const struct sk_buff___part *skb)
{
	return datagram_sent(skb);
}

/* Without its run the query is told of as one without an answer. */
SEC("kprobe/__udp_enqueue_schedule_skb") SEES_NO_EVENT
int BPF_KPROBE(datagram_came, const struct sock___part *sk, const struct sk_buff___part *skb)
{
	const u8 *udp = BPF_CORE_READ(skb, head) + BPF_CORE_READ(skb, transport_header);
	struct dns_key key = { .protocol = IPPROTO_UDP };
	struct payload payload;
	struct udp_part ports;
	struct dns_part dns;

	if (bpf_probe_read_kernel(&ports, sizeof(ports), udp) || !is_server_port(bpf_ntohs(ports.source)))
		return 0;
	fill_payload(&payload, skb, udp);
	if (payload.size < sizeof(dns) || bpf_probe_read_kernel(&dns, sizeof(dns), payload.data) ||
	    !(dns.flags & bpf_htons(FLAG_RESPONSE)) || !fill_ends(&key.ends, skb, true))
		return 0;
	key.ends.local_port = bpf_ntohs(ports.dest);
	key.ends.remote_port = bpf_ntohs(ports.source);
	key.ends.netns = socket_netns(sk);
	key.id = dns.id;
	return answer_came(&key, &dns, payload.data, payload.size);
}

/* The user side runs it, with a key and an outcome, for a query that nobody has answered.  An answer may have come since. */
SEC("raw_tp") SEES_NO_EVENT
int tell(u64 *args)
{
	u64 words[(sizeof(struct dns_key) + 7) / 8];
	const struct dns_key *key = (const struct dns_key *)words;
	struct query *query;

#pragma unroll
	for (u32 i = 0; i < sizeof(words) / sizeof(*words); i++)
		words[i] = args[i];
	query = bpf_map_lookup_elem(&queries, key);
	if (!query || !query->is_begun)
		return 0;
	finish(key, make_event(key, query, args[sizeof(words) / sizeof(*words)], offsetof(struct dnssnoop_event, answer)));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
