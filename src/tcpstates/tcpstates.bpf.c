/* SPDX-License-Identifier: BSD-2-Clause */
/* Each change of a TCP socket's state, with the time that it was in the old one. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "lib/bpf/event_counts.bpf.h"
#include "lib/bpf/tcp.bpf.h"
#include "tcpstates.h"

static __always_inline void tcp_state_changed(void *ctx, struct sock___part *sk, int oldstate, int newstate)
{
	struct owner *kept = owner_of(sk), owner = {};
	/* a new connection, whatever was kept under this address */
	bool is_new = oldstate == TCP_CLOSE || (oldstate == TCP_LISTEN && newstate == TCP_SYN_RECV);
	/* the boot clock has the time that the machine is suspended */
	__u64 now_ns = bpf_ktime_get_boot_ns(), old_ns = 0;
	struct tcpstates_event *event;

	if (!socket_is_tcp(sk))
		return;
	if (kept && !is_new) {
		owner = *kept;
		old_ns = now_ns - owner.since_ns;
	}
	if (newstate == TCP_SYN_SENT || newstate == TCP_LISTEN)
		owner_fill(&owner);
	owner.since_ns = now_ns;
	if (newstate == TCP_CLOSE)
		owner_drop(sk);
	else
		owner_keep(sk, &owner);
	if (owner_filtered(&owner) || socket_filtered(sk))
		return;
	event = event_reserve_for(sizeof(*event), &owner);
	if (!event)
		return;
	socket_fill_ends(&event->ends, sk);
	event->skaddr = (__u64)sk;
	event->old_ns = old_ns;
	event->oldstate = oldstate;
	event->newstate = newstate;
	event_submit(event);
}

static __always_inline void tcp_accepted(struct sock___part *sk)
{
	struct owner *kept = owner_of(sk), owner = {};

	/* one that was established before the tool: its next change has no time, but a process */
	if (kept)
		owner.since_ns = kept->since_ns;
	owner_fill(&owner);
	owner_keep(sk, &owner);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
