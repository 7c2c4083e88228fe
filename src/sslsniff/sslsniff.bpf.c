/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls of TLS libraries, from the begin of a function to its end.  A call inside another one of the same thread is a part of it: what is
 * called later has a lower stack pointer, and a function returns with the one that it began with (the kernel's return probe is one address
 * above).  A call that has failed is kept until the program asks why.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "sslsniff.h"
#include "lib/bpf/arch.bpf.h"
#include "lib/bpf/call.bpf.h"
#include "lib/bpf/socket.bpf.h"
#include "lib/bpf/tool.bpf.h"
#include "lib/bpf/user_site.bpf.h"

const volatile __u64 min_ns = 0;
const volatile __u32 data_max = 0;	/* bytes of a row */

struct tls_call {
	u64 begun_ns;
	u64 failed_ns;		/* 0: it is under way; else it has failed, and nobody has asked why */
	u64 stack;		/* the stack pointer at the entry */
	u64 address;		/* of the function, in this process */
	u64 session;
	const char *buffer;
	u64 size;		/* of the buffer */
	const u64 *count;	/* TLS_COUNTS_BESIDE */
	const struct sock___part *sk;	/* the last TCP socket that it has used; NULL: none */
	u32 function;
};

CALLS(TLS_CALLS_MAX, struct tls_call);

struct session_key {
	u64 session;
	u64 pid;
};

struct session_peer {
	u64 address[2];
	u64 port;
};

/* A call need not use the socket: what it returns may have come with the bytes before. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, TLS_SESSIONS_MAX);
	__type(key, struct session_key);
	__type(value, struct session_peer);
} peers SEC(".maps");

static __always_inline struct session_key session_key(const struct tls_call *call)
{
	return (struct session_key){ .session = call->session, .pid = bpf_get_current_pid_tgid() >> 32 };
}

static __always_inline void keep_peer(const struct tls_call *call)
{
	struct session_key key = session_key(call);
	struct session_peer peer = {}, *known;
	struct socket_ends ends = {};

	if (!call->sk)
		return;
	socket_fill_addresses(&ends, call->sk);
	__builtin_memcpy(peer.address, ends.remote, sizeof(peer.address));
	peer.port = ends.remote_port;
	known = bpf_map_lookup_elem(&peers, &key);
	/* writing is dear, and a session hardly ever gets another peer */
	if (!known || known->port != peer.port || known->address[0] != peer.address[0] || known->address[1] != peer.address[1])
		bpf_map_update_elem(&peers, &key, &peer, BPF_ANY);
}

static __always_inline void fill_peer(struct sslsniff_event *event, const struct tls_call *call)
{
	struct session_key key = session_key(call);
	const struct session_peer *peer = bpf_map_lookup_elem(&peers, &key);

	event->peer_port = peer ? peer->port : 0;
	if (peer)
		__builtin_memcpy(event->peer, peer->address, sizeof(event->peer));
	else
		__builtin_memset(event->peer, 0, sizeof(event->peer));
}

/* Whether it is to be called again, and nothing is wrong. */
static __always_inline bool is_again(u32 library, s32 reason)
{
	switch (library) {
	case TLS_OPENSSL:	/* SSL_ERROR_SSL, SYSCALL and ZERO_RETURN are none */
		return reason >= 2 && reason != 5 && reason != 6;
	case TLS_GNUTLS:	/* GNUTLS_E_AGAIN, GNUTLS_E_INTERRUPTED */
		return reason == -28 || reason == -52;
	default:		/* PR_WOULD_BLOCK_ERROR */
		return reason == -5998;
	}
}

/* Whether the event is wanted. */
static __always_inline bool is_wanted(const struct tls_call *call, u64 latency_ns, s32 bytes, s32 reason)
{
	bool failed = bytes < 0 && !is_again(TLS_LIBRARY(call->function), reason);

	return !result_filtered(failed ? -1 : 0) && !task_filtered() && latency_ns >= min_ns;
}

static __always_inline void fill(struct sslsniff_event *event, const struct tls_call *call, u64 latency_ns, s32 bytes, s32 reason)
{
	event->latency_ns = latency_ns;
	event->bytes = bytes;
	event->reason = reason;
	event->library = TLS_LIBRARY(call->function);
	event->direction = TLS_DIRECTION(call->function);
	event->data_size = TLS_DATA_NONE;
	fill_peer(event, call);
}

/* The data is read now: the function has read or written it, so it is in memory. */
static __always_inline void send(const struct tls_call *call, u64 latency_ns, s32 bytes, s32 reason)
{
	bool with_data = data_max && bytes >= 0 && TLS_DIRECTION(call->function) != TLS_HANDSHAKE;
	struct sslsniff_event *event;
	u32 size = bytes;

	/* SSL_ERROR_ZERO_RETURN: nothing comes any more */
	if (bytes < 0 && TLS_LIBRARY(call->function) == TLS_OPENSSL && TLS_DIRECTION(call->function) == TLS_RECEIVE && reason == 6) {
		bytes = 0;
		reason = 0;
	}
	if (!is_wanted(call, latency_ns, bytes, reason))
		return;
	event = event_reserve(sizeof(*event) + data_max);
	if (!event)
		return;
	fill(event, call, latency_ns, bytes, reason);
	if (with_data) {
		if (call->function & TLS_TAKES_VECTORS && size > (u32)call->size)
			size = call->size;
		if (size > data_max)
			size = data_max;
		event->data_size = bpf_probe_read_user(event->data, size, call->buffer) ? TLS_DATA_UNREAD : size;
	}
	event_submit(event);
}

/* One that has failed, and whose reason nobody asks for. */
static __always_inline void send_failed(const struct tls_call *call)
{
	send(call, call->failed_ns - call->begun_ns, TLS_FAILED, TLS_NO_REASON);
}

/*
 * Whether a call that begins is a part of this one.  One that a jump leads to begins at the same place of the stack, as
 * gnutls_record_send2() does.
 */
static __always_inline bool is_part_of(const struct tls_call *outer, const struct tls_call *call)
{
	return call->stack < outer->stack ||
	       (call->stack == outer->stack && call->session == outer->session && call->address != outer->address);
}

/* Whether a file descriptor of NSPR has layers, as those that NSS has made secure have (struct PRFileDesc of prio.h: lower). */
static __always_inline bool has_layers(u64 fd)
{
	u64 lower = 0;

	return !bpf_probe_read_user(&lower, sizeof(lower), (const void *)(fd + 16)) && lower;
}

/* The first of them is what is shown as data. */
static __always_inline void take_first_vector(struct tls_call *call)
{
	struct tls_vector first = {};

	bpf_probe_read_user(&first, sizeof(first), call->buffer);
	call->buffer = (const char *)first.data;
	call->size = (u32)first.size;
}

SEC("kprobe")
int call_begins(struct pt_regs *ctx)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct tls_call *before, call = {};
	struct session_key key;

	if (!user_site_number(ctx, &call.function))
		return 0;
	call.stack = PT_REGS_SP(ctx);
	call.address = PT_REGS_IP(ctx);
	call.session = PT_REGS_PARM1(ctx);
	call.buffer = (const char *)PT_REGS_PARM2(ctx);
	call.size = PT_REGS_PARM3(ctx);
	call.count = (const u64 *)PT_REGS_PARM4(ctx);
	before = bpf_map_lookup_elem(&calls, &tid);
	if (before && before->failed_ns) {
		send_failed(before);
		call_end(&calls, &tid);
	} else if (before && is_part_of(before, &call)) {
		return 0;
	}
	if (TLS_LIBRARY(call.function) == TLS_NSS && !has_layers(call.session))
		return 0;
	key = session_key(&call);
	/* a new connection may have the address of one that is gone */
	if (TLS_DIRECTION(call.function) == TLS_HANDSHAKE)
		bpf_map_delete_elem(&peers, &key);
	if (call.function & TLS_TAKES_VECTORS)
		take_first_vector(&call);
	call.begun_ns = bpf_ktime_get_ns();
	call_begin(&calls, &tid, &call);
	return 0;
}

/* How many bytes a call that returns that has transferred, or TLS_FAILED. */
static __always_inline s32 bytes_of(const struct tls_call *call, s32 returned)
{
	u64 bytes = 0;

	if (returned < 0)
		return TLS_FAILED;
	if (TLS_DIRECTION(call->function) == TLS_HANDSHAKE)
		return TLS_LIBRARY(call->function) == TLS_OPENSSL && !returned ? TLS_FAILED : 0;
	/* 0 is no failure of a call for no bytes, whatever SSL_get_error() says then */
	if (TLS_LIBRARY(call->function) == TLS_OPENSSL && !returned)
		return (u32)call->size ? TLS_FAILED : 0;
	if (!(call->function & TLS_COUNTS_BESIDE))
		return returned;
	bpf_probe_read_user(&bytes, sizeof(bytes), call->count);
	return bytes & 0x7fffffff;
}

SEC("kprobe")
int call_ends(struct pt_regs *ctx)
{
	u64 ended_ns = bpf_ktime_get_ns();
	u32 tid = (u32)bpf_get_current_pid_tgid(), function;
	s32 returned = (s32)PT_REGS_RC(ctx), bytes = TLS_FAILED;
	struct tls_call *kept, call;

	if (!user_site_number(ctx, &function))
		return 0;
	kept = bpf_map_lookup_elem(&calls, &tid);
	if (!kept)
		return 0;
	call = *kept;
	if (function & TLS_TELLS_WHY) {
		if (!call.failed_ns || TLS_LIBRARY(call.function) != TLS_LIBRARY(function))
			return 0;
		ended_ns = call.failed_ns;
	} else {
		if (call.failed_ns || (PT_REGS_SP(ctx) != call.stack && PT_REGS_SP(ctx) != call.stack + ARCH_RETURN_SIZE))
			return 0;
		bytes = bytes_of(&call, returned);
		keep_peer(&call);
		/* GnuTLS says why at once */
		if (bytes < 0 && TLS_LIBRARY(call.function) != TLS_GNUTLS) {
			kept->failed_ns = ended_ns;
			return 0;
		}
	}
	call_end(&calls, &tid);
	send(&call, ended_ns - call.begun_ns, bytes, bytes < 0 ? returned : 0);
	return 0;
}

/* ---- the TCP socket that a call uses, by tracepoints: two probes on the kernel's functions would take half of the tool's start */

struct sock___locked {
	struct {
		int owned;
	} sk_lock;
} __attribute__((preserve_access_index));

struct sk_buff___part {
	struct sock___part *sk;
} __attribute__((preserve_access_index));

/* NULL: the thread is in no call. */
static __always_inline struct tls_call *current_call(void)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct tls_call *call = event_is_over() ? NULL : bpf_map_lookup_elem(&calls, &tid);

	return call && !call->failed_ns ? call : NULL;
}

/* TCP, also as MPTCP. */
static __always_inline void use_socket(struct tls_call *call, const struct sock___part *sk)
{
	u16 family = BPF_CORE_READ(sk, __sk_common.skc_family), protocol = BPF_CORE_READ(sk, sk_protocol);

	if ((family == AF_INET || family == AF_INET6) && (protocol == IPPROTO_TCP || protocol == IPPROTO_MPTCP))
		call->sk = sk;
}

SEC("raw_tp/sock_send_length") SEES_NO_EVENT
int socket_sent(struct bpf_raw_tracepoint_args *ctx)
{
	struct tls_call *call = current_call();

	if (call)
		use_socket(call, (const struct sock___part *)ctx->args[0]);
	return 0;
}

SEC("raw_tp/sock_recv_length") SEES_NO_EVENT
int socket_received(struct bpf_raw_tracepoint_args *ctx)
{
	struct tls_call *call = current_call();

	if (call)
		use_socket(call, (const struct sock___part *)ctx->args[0]);
	return 0;
}

/*
 * Before Linux 6.3 there are neither.  These also happen in interrupts, for sockets of others; a socket that a task has locked is that
 * task's, and interrupts leave it alone (sock_owned_by_user()).
 */
static __always_inline void use_locked_socket(struct tls_call *call, const struct sock___part *sk)
{
	u8 state = sk ? BPF_CORE_READ(sk, __sk_common.skc_state) : TCP_TIME_WAIT;

	/* those are no struct sock */
	if (state != TCP_TIME_WAIT && state != TCP_NEW_SYN_RECV && BPF_CORE_READ((const struct sock___locked *)sk, sk_lock.owned))
		use_socket(call, sk);
}

/* A packet is sent.  One that waits for the peer's window goes later: its call has the peer that its session had before. */
SEC("raw_tp/net_dev_queue") SEES_NO_EVENT
int packet_sent(struct bpf_raw_tracepoint_args *ctx)
{
	struct tls_call *call = current_call();

	if (call)
		use_locked_socket(call, BPF_CORE_READ((const struct sk_buff___part *)ctx->args[0], sk));
	return 0;
}

SEC("raw_tp/tcp_rcv_space_adjust") SEES_NO_EVENT
int data_received(struct bpf_raw_tracepoint_args *ctx)
{
	struct tls_call *call = current_call();

	if (call)
		use_locked_socket(call, (const struct sock___part *)ctx->args[0]);
	return 0;
}

/* ---- */

/* A thread that ends takes what it left behind with it; nobody asks any more why its last call has failed. */
static __always_inline void thread_ends(void)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct tls_call *call = bpf_map_lookup_elem(&calls, &tid);

	if (call && call->failed_ns) {
		send_failed(call);
		call_end(&calls, &tid);
	} else if (call) {
		call_drop_stale(&calls, &tid);
	}
}

CALL_THREAD_EXIT(thread_ends())

char LICENSE[] SEC("license") = "Dual BSD/GPL";
