/* SPDX-License-Identifier: BSD-2-Clause */
/* Each change of a TCP socket's state, with the time that it was in the old one. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "lib/bpf/event_counts.bpf.h"
#include "lib/bpf/tcp.bpf.h"
#include "tcpstates.h"

static __always_inline void tcp_state_changed(void *ctx, struct sock___part *sk, int oldstate, int newstate)
{
	struct subject *kept = subject_of(sk), subject = {};
	/* a new connection, whatever was kept under this address */
	bool is_new = oldstate == TCP_CLOSE || (oldstate == TCP_LISTEN && newstate == TCP_SYN_RECV);
	__u64 now_ns = bpf_ktime_get_ns(), old_ns = 0;
	struct tcpstates_event *event;

	if (kept && !is_new) {
		subject = *kept;
		old_ns = now_ns - subject.since_ns;
	}
	if (newstate == TCP_SYN_SENT || newstate == TCP_LISTEN)
		subject_fill(&subject);
	subject.since_ns = now_ns;
	if (newstate == TCP_CLOSE)
		subject_drop(sk);
	else
		subject_keep(sk, &subject);
	if (subject_filtered(&subject) || socket_filtered(sk))
		return;
	event = event_reserve_for(sizeof(*event), &subject);
	if (!event)
		return;
	event->task.ts_ns = now_ns;
	socket_fill_ends(&event->ends, sk);
	event->skaddr = (__u64)sk;
	event->old_ns = old_ns;
	event->oldstate = oldstate;
	event->newstate = newstate;
	event_submit(event);
}

static __always_inline void tcp_accepted(struct sock___part *sk)
{
	struct subject *kept = subject_of(sk), subject = {};

	/* one that was established before the tool: its next change has no time, but a process */
	if (kept)
		subject.since_ns = kept->since_ns;
	subject_fill(&subject);
	subject_keep(sk, &subject);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
