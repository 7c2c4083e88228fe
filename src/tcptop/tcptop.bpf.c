/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes that tasks send and receive over TCP.  What is sent goes through tcp_sendmsg_locked(), whose result says how many bytes it took; up
 * to 6.4 also through do_tcp_sendpages(), which sendfile(2) and splice(2) call.  Whoever has received calls tcp_cleanup_rbuf(); the number
 * of bytes is the difference of the socket's own counters.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "lib/bpf/call.bpf.h"
#include "lib/bpf/counts.bpf.h"
#include "lib/bpf/ends.bpf.h"
#include "lib/bpf/role.bpf.h"
#include "lib/bpf/syscall.bpf.h"
#include "lib/bpf/table.bpf.h"
#include "lib/bpf/task_key.bpf.h"
#include "lib/bpf/tp_prog.bpf.h"
#include "tcptop.h"

COUNTS(struct tcptop_counts, 1);	/* of the keys without room */
TABLE(struct tcptop_key, struct tcptop_counts, TCPTOP_KEYS);

const volatile __u32 by = SOCKET_PARTS;	/* bits of enum socket_part */
const volatile __u32 syscalls[2][TCPTOP_SYSCALLS] = {};	/* numbers of the machine's own calls, and of 32-bit ones; TCPTOP_NO_CALL */

struct call {
	const struct sock___part *sk;
	u64 connects;		/* its ends are there when it returns, and there the filters look at them */
};

CALLS(TCPTOP_CALLS, struct call);

/* How many bytes had been read from a socket at the last look, by its address. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TCPTOP_SOCKETS);
	__type(key, u64);
	__type(value, u64);
} sockets SEC(".maps");

/* Sockets that were not kept because the hash was full.  Atomic. */
__u64 sockets_no_room SEC(".bss.no_room") = 0;

struct tcp_sock___part {
	u32 rcv_nxt;
	u32 copied_seq;
	u64 bytes_received;
} __attribute__((preserve_access_index));

struct tcp_ulp_ops___part {
	char name[16];
} __attribute__((preserve_access_index));

struct inet_connection_sock___part {
	const struct tcp_ulp_ops___part *icsk_ulp_ops;
} __attribute__((preserve_access_index));

static __always_inline struct tcptop_counts *find_counts(const struct sock___part *sk)
{
	struct tcptop_key key = {};
	struct tcptop_counts *counts;

	if (task_key_kind != TASK_KEY_NONE)
		task_key_set_current(&key.task);
	if (by)
		socket_fill_parts(&key.ends, sk, by);
	counts = table_at(&key);
	return counts ? counts : counts_at(1, 0);
}

static __always_inline int send_begins(const struct sock___part *sk)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct call call = { .sk = sk };

	if (event_is_over())
		return 0;
	call.connects = socket_filter.active && BPF_CORE_READ(sk, __sk_common.skc_state) == TCP_CLOSE;
	if (task_filtered() || (!call.connects && socket_filtered(sk))) {
		if (filter.active || socket_filter.active)
			call_drop_stale(&calls, &tid);
		return 0;
	}
	call_begin(&calls, &tid, &call);
	return 0;
}

/* The ends are those at the return: a send that connects (MSG_FASTOPEN) chooses them. */
static __always_inline int send_ends(int result)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct call *call = bpf_map_lookup_elem(&calls, &tid);
	struct tcptop_counts *counts;

	if (!call)
		return 0;
	if (result > 0 && !event_is_over() && !(call->connects && socket_filtered(call->sk))) {
		counts = find_counts(call->sk);
		if (counts) {
			count_add(&counts->sends, 1);
			count_add(&counts->sent, result);
		}
	}
	call_end(&calls, &tid);
	return 0;
}

SEC("kprobe")
int BPF_KPROBE(send_enter, const struct sock___part *sk)
{
	return send_begins(sk);
}

SEC("kretprobe")
int send_exit(struct pt_regs *ctx)
{
	return send_ends(PT_REGS_RC(ctx));
}

SEC("kprobe")
int BPF_KPROBE(pages_enter, const struct sock___part *sk)
{
	return send_begins(sk);
}

SEC("kretprobe")
int pages_exit(struct pt_regs *ctx)
{
	return send_ends(PT_REGS_RC(ctx));
}

/* A part of an MPTCP connection, which calls the function for its acknowledgements. */
static __always_inline bool is_mptcp(const struct sock___part *sk)
{
	const struct inet_connection_sock___part *icsk = (const struct inet_connection_sock___part *)sk;
	const struct tcp_ulp_ops___part *ulp = BPF_CORE_READ(icsk, icsk_ulp_ops);
	u32 begin = 0;

	return ulp && !bpf_core_read(&begin, sizeof(begin), &ulp->name) && begin == *(const u32 *)"mptc";
}

/*
 * How many bytes have been read from the socket since it was made: those that have arrived without those that wait.  Its lock is held, so
 * that they are of the same moment.  The peer's FIN counts as a byte of both; it is the last one, and has set SOCK_DONE.
 */
static __always_inline u64 bytes_read(const struct sock___part *sk)
{
	const struct tcp_sock___part *tcp = (const struct tcp_sock___part *)sk;
	u32 waiting = BPF_CORE_READ(tcp, rcv_nxt) - BPF_CORE_READ(tcp, copied_seq);
	u64 arrived = BPF_CORE_READ(tcp, bytes_received);

	if (!waiting && arrived && BPF_CORE_READ(sk, __sk_common.skc_flags) & 1UL << SOCK_DONE)
		arrived--;
	return arrived - waiting;
}

#define MSG_PEEK 2			/* include/linux/socket.h */
/* Functions of socketcall(2), include/uapi/linux/net.h. */
#define SOCKETCALL_RECV 10
#define SOCKETCALL_RECVFROM 12
#define SOCKETCALL_SETSOCKOPT 14
#define SOCKETCALL_RECVMSG 17
#define SOCKETCALL_RECVMMSG 19

static __always_inline bool is_syscall(u32 nr, bool compat, enum tcptop_call call)
{
	return nr == syscalls[compat][call];
}

/* Of the arguments of socketcall(2). */
static __always_inline bool socketcall_reads_nothing(u32 function, const u32 *words)
{
	u32 flags[4] = {};

	if (bpf_probe_read_user(flags, sizeof(flags), words))
		return false;
	switch (function) {
	case SOCKETCALL_SETSOCKOPT:
		return true;
	case SOCKETCALL_RECV:
	case SOCKETCALL_RECVFROM:
	case SOCKETCALL_RECVMMSG:
		return flags[3] & MSG_PEEK;
	case SOCKETCALL_RECVMSG:
		return flags[2] & MSG_PEEK;
	default:
		return false;
	}
}

/* By the number and the arguments that a system call was made with. */
static __always_inline bool reads_nothing(const struct arch_call *call)
{
	bool compat = task_is_compat(task_current());
	u64 args[SYSCALL_ARGS];
	u32 nr = arch_call_nr(call);

	arch_call_args(args, call, compat);
	if (is_syscall(nr, compat, TCPTOP_RECVMSG))
		return args[2] & MSG_PEEK;
	if (is_syscall(nr, compat, TCPTOP_RECVFROM) || is_syscall(nr, compat, TCPTOP_RECV) || is_syscall(nr, compat, TCPTOP_RECVMMSG) ||
	    is_syscall(nr, compat, TCPTOP_RECVMMSG_TIME64))
		return args[3] & MSG_PEEK;
	if (is_syscall(nr, compat, TCPTOP_SOCKETCALL))
		return socketcall_reads_nothing(args[0], (const u32 *)args[1]);
	return is_syscall(nr, compat, TCPTOP_SETSOCKOPT);
}

/*
 * Whether the current task is in a system call that peeks, or in setsockopt(2), as TCP_QUICKACK gets here with a byte that nobody has
 * read.  stack_pointer: into its stack.  A global function: most packets do not come here.
 */
__noinline int call_reads_nothing(u64 stack_pointer)
{
	u64 end = stack_end(stack_pointer, ARCH_STACK_SIZE);
	struct arch_call call;

	if (have_task_pt_regs)
		return arch_read_call(&call, (void *)bpf_task_pt_regs(bpf_get_current_task_btf())) && reads_nothing(&call);
	return (arch_read_call(&call, (void *)(end - ARCH_REGS_BEFORE_END)) && reads_nothing(&call)) ||
	       (arch_read_call(&call, (void *)(end - ARCH_REGS_BEFORE_END2)) && reads_nothing(&call));
}

/*
 * How many bytes were read since the last look.  claimed, the function's argument, says that at the first look alone: a read that waits
 * calls the function several times, with all that it has read so far; one that peeks, with what it has seen, which waits still.
 */
static __always_inline u64 bytes_new(const struct sock___part *sk, u32 claimed, u64 stack_pointer)
{
	u64 key = (u64)sk, now = bytes_read(sk), *before = bpf_map_lookup_elem(&sockets, &key), new;

	if (before) {
		new = now - *before;
		*before = now;
		return new;
	}
	/* from then on nothing arrives, and nobody waits; its entry would not go */
	if (BPF_CORE_READ(sk, __sk_common.skc_state) != TCP_CLOSE && bpf_map_update_elem(&sockets, &key, &now, BPF_NOEXIST))
		atomic_add(&sockets_no_room, 1);
	if (!claimed || call_reads_nothing(stack_pointer))
		return 0;
	return now < claimed ? now : claimed;
}

SEC("kprobe") SEES_WHOLE
int BPF_KPROBE(received, const struct sock___part *sk, int claimed)
{
	struct tcptop_counts *counts;
	u64 bytes;

	if (event_is_over() || is_mptcp(sk))
		return 0;
	bytes = bytes_new(sk, claimed < 0 ? 0 : claimed, PT_REGS_SP(ctx));
	if (!bytes || task_filtered() || socket_filtered(sk))
		return 0;
	counts = find_counts(sk);
	if (!counts)
		return 0;
	count_add(&counts->receives, 1);
	count_add(&counts->received, bytes);
	return 0;
}

static __always_inline int state_changed(const struct sock___part *sk, int state)
{
	u64 key = (u64)sk;

	/* the address is another socket's next */
	if (state == TCP_CLOSE)
		bpf_map_delete_elem(&sockets, &key);
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

/* From 7.0 on a raw program can be preempted. */
SEC("tp/sock/inet_sock_set_state") SEES_NO_EVENT
int TP_PROG(state_record, struct tp_sock__inet_sock_set_state *ctx)
{
	return state_changed(ctx->skaddr, ctx->newstate);
}

CALL_THREAD_EXIT(call_thread_exit(&calls))

char LICENSE[] SEC("license") = "Dual BSD/GPL";
