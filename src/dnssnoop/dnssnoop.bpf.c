/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queries to name servers and their answers, as the kernel's sockets send and receive them.  A datagram is seen when it is complete and
 * goes to IP, in ip_send_skb() and ip6_send_skb(): in the task that sends, once, whichever call made it of how many parts.  An answer is
 * seen in __udp_enqueue_schedule_skb(), when it is put into the queue of the socket that asked; that it waits there for its reader is not
 * the server's time.  Both have the addresses that the program knows, whatever address translation makes of them in between.
 *
 * Over TCP a message has its size in front, and may lie across calls, or share one with others.  Its bytes are read from the program's
 * own memory: what is sent at the entry of tcp_sendmsg_locked(), what is read at the tracepoint tcp_rcv_space_adjust, which follows each
 * copy into the memory that tcp_recvmsg() was given.  The sequence numbers tell which bytes of a call are new, and whether some in
 * between were not seen.  What was read is put together for each connection, up to the size that is kept of a message.  A call that also
 * connects (TCP Fast Open) has no ends and no numbers at its entry: its bytes are read in tcp_connect(), before the SYN takes them.
 *
 * A query is kept by its ends and its number until the answer comes.  Queries without one are told by the user side, which looks for
 * them once a second, and runs the program `tell` for each.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "lib/bpf/ends.bpf.h"
#include "lib/bpf/entries.bpf.h"
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

/* Bytes of a message that are kept, with the two of its size in front. */
#define SIZE_BYTES 2
#define QUERY_KEPT (SIZE_BYTES + DNS_QUESTION_SIZE)
#define ANSWER_KEPT (SIZE_BYTES + DNS_ANSWER_SIZE)

#define PIECES 4	/* of a call's memory */
#define STEPS 32	/* a message takes two, or more where it lies across pieces */

/* One direction of a connection. */
struct side {
	u32 next;		/* sequence number of the first byte that was not seen */
	u32 size;		/* of the message at hand, with the bytes of its size, once these are there */
	u32 have;		/* of it */
	u32 is_broken;		/* what follows is no message, or bytes in between were not seen */
	u32 is_kernels;		/* the memory is */
	u32 tid;		/* whose it is; 0: nobody's */
	u32 begin;		/* sequence number of the first byte that comes into the pieces */
	u32 is_new;		/* next and begin are not known: nothing has come yet */
	/*
	 * Where it is in them: the piece, bytes of it that were taken, and how many there are to take.  Here and not in the program, as
	 * the verifier walks a loop once for each set of values that it knows.
	 */
	u32 at, skip, left;
	u64 pieces[PIECES];
	u32 sizes[PIECES];
};

struct stream {
	struct dns_key key;
	u32 is_made;
	struct side sent, came;
	/* as much again: the verifier adds the most of what is there to the most of what comes */
	u8 query[2 * QUERY_KEPT];
	u8 answer[2 * ANSWER_KEPT];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, DNS_STREAMS);
	__type(key, u64);	/* address of the socket */
	__type(value, struct stream);
} streams SEC(".maps");

const volatile __u64 no_stream[(sizeof(struct stream) + 7) / 8] = {};

/* Addresses of the functions by enum dns_entry, for the program on all of them. */
const volatile __u64 entry_at[DNS_ENTRIES] = {};

struct tcp_fastopen_request___part {
	const void *data;	/* struct msghdr */
	size_t size;
} __attribute__((preserve_access_index));

struct tcp_sock___part {
	u32 rcv_nxt;
	u32 copied_seq;
	u32 write_seq;
	u64 bytes_received;
	const struct tcp_fastopen_request___part *fastopen_req;
} __attribute__((preserve_access_index));

/* kvec, iov and ubuf are at the same place. */
struct iov_iter___part {
	u8 iter_type;
	size_t iov_offset;
	size_t count;
	const void *kvec;
	unsigned long nr_segs;
} __attribute__((preserve_access_index));

/* Before 5.14; its lowest bit is the direction. */
struct iov_iter___before_5_14 {
	unsigned int type;
} __attribute__((preserve_access_index));

struct msghdr___part {
	struct iov_iter___part msg_iter;
} __attribute__((preserve_access_index));

/* struct iovec, struct kvec */
struct vector_part {
	u64 base, size;
};

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
static __always_inline int query_sent(const struct dns_key *key, const u8 *message, u32 size)
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
	return query_sent(&key, payload.data, payload.size);
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

static __always_inline int datagram_arrives(const struct sock___part *sk, const struct sk_buff___part *skb)
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

/* Without its run the query is told of as one without an answer. */
SEC("kprobe/__udp_enqueue_schedule_skb") SEES_NO_EVENT
int BPF_KPROBE(datagram_came, const struct sock___part *sk, const struct sk_buff___part *skb)
{
	return datagram_arrives(sk, skb);
}

/* ---- TCP */

/* Tells once of a direction that cannot be followed any more. */
static __always_inline void break_side(struct stream *stream, struct side *side)
{
	struct dnssnoop_event *event;

	if (side->is_broken)
		return;
	side->is_broken = 1;
	if (task_filtered() || ends_filtered(&stream->key.ends))
		return;
	event = event_reserve(offsetof(struct dnssnoop_event, answer));
	if (!event)
		return;
	event->key = stream->key;
	event->outcome = DNS_UNPARSED;
	event->latency_ns = 0;
	event->question_size = 0;
	event->answer_size = 0;
	__builtin_memset(event->question, 0, sizeof(event->question));
	event_submit(event);
}

/* A message is whole, or as much of it is there as is kept. */
static __always_inline void message_ends(struct stream *stream, const u8 *text, const u32 kept, u32 size, bool is_answer)
{
	struct dns_key key = stream->key;
	struct dns_part dns;

	if (size > kept)
		size = kept;
	bpf_probe_read_kernel(&dns, sizeof(dns), text + SIZE_BYTES);
	key.id = dns.id;
	if (is_answer && dns.flags & bpf_htons(FLAG_RESPONSE))
		answer_came(&key, &dns, text + SIZE_BYTES, size - SIZE_BYTES);
	else if (!is_answer && is_query(&dns))
		query_sent(&key, text + SIZE_BYTES, size - SIZE_BYTES);
}

/* Keeps bytes of a message, of which there are have.  Whether they could be read. */
static __always_inline bool keep(u8 *text, const u32 kept, u32 have, u64 from, u32 size, bool is_kernels)
{
	if (have >= kept)
		return true;
	if (size > kept - have)
		size = kept - have;
	barrier_var(have);
	barrier_var(size);
	if (have >= kept || size > kept)
		return true;
	if (is_kernels)
		return !bpf_probe_read_kernel(text + have, size, (void *)from);
	return !bpf_probe_read_user(text + have, size, (void *)from);
}

/* Takes bytes that are the next ones: those of a message's size, or those of the message.  Whether it can go on. */
static __always_inline int take(u64 sk, bool is_answer)
{
	const u32 kept = is_answer ? ANSWER_KEPT : QUERY_KEPT;
	struct stream *stream = bpf_map_lookup_elem(&streams, &sk);
	u32 have, count, at, here;
	struct side *side;
	u8 *text;

	if (!stream)
		return 0;
	side = is_answer ? &stream->came : &stream->sent;
	text = is_answer ? stream->answer : stream->query;
	at = side->at;
	if (at >= PIECES)
		return 0;
	here = side->sizes[at] - side->skip;
	if (!here) {
		side->at = at + 1;
		side->skip = 0;
		return 1;
	}
	if (side->skip > side->sizes[at]) {
		side->at = at + 1;
		side->skip -= side->sizes[at];
		return 1;
	}
	have = side->have;
	count = (have < SIZE_BYTES ? SIZE_BYTES : side->size) - have;
	if (count > side->left)
		count = side->left;
	if (count > here)
		count = here;
	if (!keep(text, kept, have, side->pieces[at] + side->skip, count, side->is_kernels))
		return 0;
	have += count;
	side->skip += count;
	side->left -= count;
	side->next += count;
	side->have = have;
	if (have == SIZE_BYTES) {
		side->size = SIZE_BYTES + ((u32)text[0] << 8 | text[1]);
		return side->size >= SIZE_BYTES + HEADER_SIZE;
	}
	if (have < SIZE_BYTES || have < side->size)
		return 1;
	side->have = 0;
	message_ends(stream, text, kept, have, is_answer);
	return 1;
}

/* Functions for the verifier, which walks through each once. */
__noinline int take_query(u64 sk)
{
	return take(sk, false);
}

__noinline int take_answer(u64 sk)
{
	return take(sk, true);
}

/* Where the memory of a call is, as far as it can be read. */
static __always_inline bool fill_pieces(struct side *side, const struct msghdr___part *msg)
{
	const struct iov_iter___part *iter = &msg->msg_iter;
	u64 offset = BPF_CORE_READ(iter, iov_offset), segments = BPF_CORE_READ(iter, nr_segs);
	const struct vector_part *vectors = BPF_CORE_READ(iter, kvec);
	u32 kind, iovec = bpf_core_enum_value(enum iter_type, ITER_IOVEC), kvec = bpf_core_enum_value(enum iter_type, ITER_KVEC);
	struct vector_part vector;

	if (bpf_core_field_exists(iter->iter_type))
		kind = BPF_CORE_READ(iter, iter_type);
	else
		kind = BPF_CORE_READ((const struct iov_iter___before_5_14 *)iter, type) & ~1;
	side->is_kernels = kind == kvec;
	side->tid = (u32)bpf_get_current_pid_tgid();
	if (bpf_core_enum_value_exists(enum iter_type, ITER_UBUF) && kind == bpf_core_enum_value(enum iter_type, ITER_UBUF)) {
		side->pieces[0] = (u64)vectors + offset;
		side->sizes[0] = BPF_CORE_READ(iter, count);
		side->sizes[1] = side->sizes[2] = side->sizes[3] = 0;
		return true;
	}
	if (kind != iovec && kind != kvec)
		return false;
#pragma unroll
	for (u32 i = 0; i < PIECES; i++) {
		side->sizes[i] = 0;
		if (i >= segments || bpf_probe_read_kernel(&vector, sizeof(vector), vectors + i))
			continue;
		side->pieces[i] = vector.base + offset;
		side->sizes[i] = vector.size - offset;
		offset = 0;
	}
	return true;
}

/* The next bytes of a direction, left of them, are in its pieces, after skip others.  Whether they are messages, as far as they go. */
static __always_inline bool take_all(u64 sk, struct side *side, bool is_answer, u32 skip, u32 left)
{
	side->at = 0;
	side->skip = skip;
	side->left = left;
	for (u32 step = 0; step < STEPS && side->left; step++)
		if (!(is_answer ? take_answer(sk) : take_query(sk)))
			return false;
	return !side->left;
}

/* The connection to a server, which may be new; NULL: it is none, or there is no room.  is_connecting: its SYN is about to be sent. */
static __always_inline struct stream *stream_of(const struct sock___part *sk, bool is_connecting)
{
	const struct tcp_sock___part *tcp = (const struct tcp_sock___part *)sk;
	u64 key = (u64)sk;
	struct stream *stream;

	if (!is_server_port(bpf_ntohs(BPF_CORE_READ(sk, __sk_common.skc_dport))))
		return NULL;
	stream = bpf_map_lookup_elem(&streams, &key);
	if (stream && stream->is_made)
		return stream;
	/* the numbers of one that is being made are not there yet */
	if (!is_connecting &&
	    (BPF_CORE_READ(sk, __sk_common.skc_state) == TCP_SYN_SENT || BPF_CORE_READ(sk, __sk_common.skc_state) == TCP_CLOSE))
		return NULL;
	bpf_map_update_elem(&streams, &key, (const void *)&no_stream, BPF_NOEXIST);
	stream = bpf_map_lookup_elem(&streams, &key);
	if (!stream) {
		event_count_no_room();
		return NULL;
	}
	socket_fill_ends(&stream->key.ends, sk);
	stream->key.protocol = IPPROTO_TCP;
	/* the SYN counts as a byte */
	stream->sent.next = BPF_CORE_READ(tcp, write_seq) + is_connecting;
	stream->came.next = BPF_CORE_READ(tcp, copied_seq);
	stream->came.is_new = is_connecting;
	stream->is_made = 1;
	return stream;
}

static __noinline int stream_sends(const struct sock___part *sk, const struct msghdr___part *msg, u32 size, bool is_connecting)
{
	struct stream *stream = stream_of(sk, is_connecting);
	u32 seen;

	if (!stream || stream->sent.is_broken)
		return 0;
	/* more than 0 where an earlier call was not taken whole, and its rest is sent again */
	seen = stream->sent.next - BPF_CORE_READ((const struct tcp_sock___part *)sk, write_seq) - is_connecting;
	if ((s32)seen >= 0 && seen >= size)
		return 0;
	if ((s32)seen < 0 || !fill_pieces(&stream->sent, msg) || !take_all((u64)sk, &stream->sent, false, seen, size - seen))
		break_side(stream, &stream->sent);
	return 0;
}

/* A connection begins: whether a call that sends makes it, whose memory has the first bytes. */
static __always_inline bool fill_first(const struct sock___part *sk, const void **msg, u64 *size)
{
	const struct tcp_fastopen_request___part *request = BPF_CORE_READ((const struct tcp_sock___part *)sk, fastopen_req);

	if (!request)
		return false;
	*msg = BPF_CORE_READ(request, data);
	*size = BPF_CORE_READ(request, size);
	return true;
}

/* A call begins that reads: where to. */
static __always_inline int stream_reads(const struct sock___part *sk, const struct msghdr___part *msg)
{
	struct stream *stream = stream_of(sk, false);

	if (!stream || stream->came.is_broken)
		return 0;
	stream->came.begin = BPF_CORE_READ((const struct tcp_sock___part *)sk, copied_seq);
	if (!fill_pieces(&stream->came, msg))
		stream->came.tid = 0;
	return 0;
}

/* The call has read some.  What it only looks at (MSG_PEEK) is not new. */
static __always_inline int stream_has_read(const struct sock___part *sk)
{
	const struct tcp_sock___part *tcp = (const struct tcp_sock___part *)sk;
	struct stream *stream;
	u64 key = (u64)sk;
	u32 fresh, skip;

	if (!is_server_port(bpf_ntohs(BPF_CORE_READ(sk, __sk_common.skc_dport))))
		return 0;
	stream = bpf_map_lookup_elem(&streams, &key);
	if (!stream || stream->came.is_broken)
		return 0;
	if (stream->came.is_new) {
		stream->came.next = BPF_CORE_READ(tcp, rcv_nxt) - (u32)BPF_CORE_READ(tcp, bytes_received);
		stream->came.begin = stream->came.next;
	}
	fresh = BPF_CORE_READ(tcp, copied_seq) - stream->came.next;
	if ((s32)fresh <= 0)
		return 0;
	stream->came.is_new = 0;
	skip = stream->came.next - stream->came.begin;
	/* another thread's memory, or bytes that no call was seen to read */
	if ((s32)skip < 0 || stream->came.tid != (u32)bpf_get_current_pid_tgid() || !take_all(key, &stream->came, true, skip, fresh))
		break_side(stream, &stream->came);
	return 0;
}

SEC("kprobe/tcp_sendmsg_locked") SEES_WHOLE
int BPF_KPROBE(stream_sent, const struct sock___part *sk, const struct msghdr___part *msg, size_t size)
{
	return stream_sends(sk, msg, size, false);
}

SEC("kprobe/tcp_connect") SEES_WHOLE
int BPF_KPROBE(stream_connects, const struct sock___part *sk)
{
	const void *msg;
	u64 size;

	return fill_first(sk, &msg, &size) ? stream_sends(sk, msg, size, true) : 0;
}

SEC("kprobe/tcp_recvmsg") SEES_NO_EVENT
int BPF_KPROBE(stream_receives, const struct sock___part *sk, const struct msghdr___part *msg)
{
	return stream_reads(sk, msg);
}

SEC("raw_tp/tcp_rcv_space_adjust") SEES_NO_EVENT
int BPF_PROG(read_raw, const struct sock___part *sk)
{
	return stream_has_read(sk);
}

struct tp_tcp__tcp_rcv_space_adjust {
	const void *skaddr;
} __attribute__((preserve_access_index));

/* From 7.0 on a raw program can be preempted. */
SEC("tp/tcp/tcp_rcv_space_adjust") SEES_NO_EVENT
int TP_PROG(read_record, struct tp_tcp__tcp_rcv_space_adjust *ctx)
{
	return stream_has_read(ctx->skaddr);
}

/* Where one link takes them all. */
SEC("kprobe.multi") SEES_WHOLE
int BPF_KPROBE(any_entry, void *first, const void *second, u64 third)
{
	u64 at = bpf_get_func_ip(ctx);
	bool connects = is_entry_of(at, entry_at[DNS_STREAM_CONNECTS]);

	if (connects && !fill_first(first, &second, &third))
		return 0;
	if (connects || is_entry_of(at, entry_at[DNS_STREAM_SENT]))
		return stream_sends(first, second, third, connects);
	if (is_entry_of(at, entry_at[DNS_STREAM_READS]))
		return stream_reads(first, second);
	if (is_entry_of(at, entry_at[DNS_DATAGRAM_CAME]))
		return datagram_arrives(first, second);
	return datagram_sent(is_entry_of(at, entry_at[DNS_V4_SENT]) ? second : first);
}

static __always_inline int state_changed(const struct sock___part *sk, int state)
{
	u64 key = (u64)sk;

	/* the address is another socket's next */
	if (state == TCP_CLOSE)
		bpf_map_delete_elem(&streams, &key);
	return 0;
}

SEC("raw_tp/inet_sock_set_state") SEES_NO_EVENT
int BPF_PROG(state_raw, const struct sock___part *sk, int oldstate, int newstate)
{
	return state_changed(sk, newstate);
}

struct tp_sock__inet_sock_set_state {
	const void *skaddr;
	int newstate;
} __attribute__((preserve_access_index));

SEC("tp/sock/inet_sock_set_state") SEES_NO_EVENT
int TP_PROG(state_record, struct tp_sock__inet_sock_set_state *ctx)
{
	return state_changed(ctx->skaddr, ctx->newstate);
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
