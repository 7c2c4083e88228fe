/* SPDX-License-Identifier: BSD-2-Clause */
/* TCP connections being accepted, with the time that they waited for it. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "lib/bpf/event_counts.bpf.h"
#include "lib/bpf/tcp.bpf.h"
#include "tcpaccept.h"

static __always_inline void tcp_state_changed(void *ctx, struct sock___part *sk, int oldstate, int newstate)
{
	struct owner waiting = {};

	/* those that a listener has: a socket that connects comes here from SYN_SENT, or with another one's address */
	if (oldstate == TCP_SYN_RECV && newstate == TCP_ESTABLISHED) {
		if (!socket_is_tcp(sk))
			return;
		waiting.since_ns = bpf_ktime_get_ns();
		owner_keep(sk, &waiting);
	} else if (newstate == TCP_CLOSE || oldstate == TCP_CLOSE || oldstate == TCP_LISTEN) {
		/* a socket of another protocol has none */
		owner_drop(sk);
	}
}

static __always_inline void tcp_accepted(struct sock___part *sk)
{
	struct owner *waiting = owner_of(sk);
	struct tcpaccept_event *event;
	__u64 since_ns = 0;

	if (waiting) {
		since_ns = waiting->since_ns;
		owner_drop(sk);
	}
	if (task_filtered() || socket_filtered(sk))
		return;
	event = event_reserve(sizeof(*event));
	if (!event)
		return;
	socket_fill_ends(&event->ends, sk);
	event->queue_known = since_ns != 0;
	event->queue_ns = event->task.ts_ns - since_ns;
	event->reserved = 0;
	event_submit(event);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
