/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The states of TCP sockets, and whose sockets they are.  Include it once in a tool, after vmlinux.h; the tool has
 *
 *	static __always_inline void tcp_state_changed(void *ctx, struct sock___part *sk, int oldstate, int newstate) { … }
 *	static __always_inline void tcp_accepted(struct sock___part *sk) { … }
 *
 * and the programs here call them.  The user side chooses the programs (lib/run/sockets).  The first one is called for sockets of other
 * protocols, too: it asks socket_is_tcp(), which reads the socket, once it knows that the change matters.
 *
 * The state of a socket changes in the process's own context when it connects, listens or closes, and else in whichever task
 * the packet's interrupt hit.  So the task is kept when it is known: at → SYN_SENT, → LISTEN and at accept(2), in a hash by the
 * socket's address.  The address is another socket's later: the entry goes at → CLOSE, and a new life overwrites what a missed
 * event may have left.
 */
#ifndef PROBELIGHT_TCP_BPF_H
#define PROBELIGHT_TCP_BPF_H

#include <bpf/bpf_tracing.h>

#include "atomic.bpf.h"
#include "ends.bpf.h"
#include "socket.bpf.h"
#include "owner.bpf.h"
#include "tool.bpf.h"

#ifndef SOCKETS_MAX
#define SOCKETS_MAX 16384	/* the user side may set another number (--sockets) */
#endif

/* By address of the socket. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SOCKETS_MAX);
	__type(key, __u64);
	__type(value, struct owner);
} sockets SEC(".maps");

/* Sockets that were not kept because the hash was full.  Atomic. */
__u64 sockets_no_room SEC(".bss.no_room") = 0;

/* Sockets that are kept, or more, as one that is kept again counts once more.  0: nothing is to be found.  Atomic. */
__u64 sockets_kept SEC(".bss.no_room") = 0;

static __always_inline void tcp_state_changed(void *ctx, struct sock___part *sk, int oldstate, int newstate);
static __always_inline void tcp_accepted(struct sock___part *sk);

static __always_inline struct owner *owner_of(const struct sock___part *sk)
{
	__u64 key = (__u64)sk;

	/* a look into the table costs 80 instructions; where all is filtered nothing is kept */
	return *(volatile __u64 *)&sockets_kept ? bpf_map_lookup_elem(&sockets, &key) : NULL;
}

static __always_inline bool owner_keep(const struct sock___part *sk, const struct owner *owner)
{
	__u64 key = (__u64)sk;
	/* int: before 6.4 a map's function is called directly, and leaves the upper half of the register 0 */
	int err = bpf_map_update_elem(&sockets, &key, owner, BPF_ANY);

	atomic_add(err ? &sockets_no_room : &sockets_kept, 1);
	return !err;
}

static __always_inline void owner_drop(const struct sock___part *sk)
{
	__u64 key = (__u64)sk;

	if (!(int)bpf_map_delete_elem(&sockets, &key))
		atomic_add(&sockets_kept, -1);
}

/*
 * In interrupts a program on the tracepoint is skipped if it hit another one (bpf_prog_active), a raw one is not: but from
 * 7.0 on these can be preempted, and the kernel then skips the program for other tasks.
 */
SEC("raw_tp/inet_sock_set_state")
int BPF_PROG(state_raw, struct sock___part *sk, int oldstate, int newstate)
{
	if (oldstate != newstate)
		tcp_state_changed(ctx, sk, oldstate, newstate);
	return 0;
}

struct tp_sock__inet_sock_set_state {
	const void *skaddr;
	int oldstate;
	int newstate;
} __attribute__((preserve_access_index));

SEC("tp/sock/inet_sock_set_state")
int TP_PROG(state_record, struct tp_sock__inet_sock_set_state *ctx)
{
	struct sock___part *sk = (struct sock___part *)ctx->skaddr;

	if (ctx->oldstate != ctx->newstate)
		tcp_state_changed(ctx, sk, ctx->oldstate, ctx->newstate);
	return 0;
}

/*
 * Called for each accepted socket, as the process that accepts it, with the same arguments on all kernels.  A return probe on
 * inet_csk_accept() would hold a slot for each server that waits.
 */
SEC("kprobe")
int BPF_KPROBE(sock_graft, struct sock___part *sk)
{
	if (socket_is_tcp(sk))
		tcp_accepted(sk);
	return 0;
}

#endif
