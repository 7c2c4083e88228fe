/* SPDX-License-Identifier: BSD-2-Clause */
/* Internet sockets that begin to listen, seen once, when listen(2) returns: the socket has a port and its backlog then. */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define EVENTS_SIZE (256 * 1024)	/* these are rare; zeroing and mapping 1 MB costs 3 million instructions at each start */

#include "solisten.h"
#include "lib/bpf/exits.bpf.h"
#include "lib/bpf/row_stack.bpf.h"
#include "lib/bpf/socket_call.bpf.h"

struct sock___backlog {
	u32 sk_max_ack_backlog;
} __attribute__((preserve_access_index));

/* MPTCP listens with a TCP socket below its own, whose backlog is that of the call. */
struct mptcp_sock___part {
	struct sock___backlog *first;
} __attribute__((preserve_access_index));

static __always_inline bool exit_is_unwanted(enum syscall_id syscall, long result)
{
	return is_restart(result) || event_is_over();
}

static __always_inline u32 backlog_of(u64 sk, u16 protocol)
{
	struct mptcp_sock___part *mptcp = (struct mptcp_sock___part *)sk;

	if (protocol == IPPROTO_MPTCP && bpf_core_field_exists(mptcp->first))
		return BPF_CORE_READ(mptcp, first, sk_max_ack_backlog);
	return BPF_CORE_READ((struct sock___backlog *)sk, sk_max_ack_backlog);
}

static __always_inline int call_exited(void *ctx, const struct exited *exited, const bool single)
{
	struct solisten_event *event;
	u64 sk = SOCKET_CALL_NONE;
	u64 args[SOCKET_CALL_ARGS];
	struct socket_call call = {};

	if (!socket_call_args(args, exited, SOCKETCALL_LISTEN, 2))
		return 0;
	if (exited->known) {
		sk = socket_call_sock(args[0]);
		if (sk == SOCKET_CALL_OTHER)
			return 0;
	}
	if (sk)
		socket_call_fill(&call, (const struct sock___part *)sk);
	call.result = exited->result;
	if (socket_call_filtered(&call))
		return 0;
	event = event_reserve(sizeof(*event));
	if (!event)
		return 0;
	event->call = call;
	event->backlog = args[1];
	event->has_backlog = exited->known;
	event->has_effective = sk && call.result >= 0;
	event->effective = sk ? backlog_of(sk, call.protocol) : 0;
	__builtin_memset(event->reserved, 0, sizeof(event->reserved));
	event_submit_from(ctx, event);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
