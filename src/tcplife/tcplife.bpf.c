/* SPDX-License-Identifier: BSD-2-Clause */
/* TCP connections that end, with what they carried. */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "lib/bpf/event_counts.bpf.h"
#include "lib/bpf/tcp.bpf.h"
#include "tcplife.h"

/* The same on 5.10 … 7.3. */
struct tcp_sock___part {
	u64 bytes_received;
	u64 bytes_sent;
	u64 bytes_retrans;
} __attribute__((preserve_access_index));

static __always_inline void fill_bytes(struct tcplife_event *event, const struct sock___part *sk)
{
	const struct tcp_sock___part *tp = (const struct tcp_sock___part *)sk;

	event->retransmitted = BPF_CORE_READ(tp, bytes_retrans);
	event->sent = BPF_CORE_READ(tp, bytes_sent) - event->retransmitted;
	event->received = BPF_CORE_READ(tp, bytes_received);
	/* the peer's FIN takes a place in the sequence and was counted with the bytes (tcp_rcv_nxt_update()); it sets SOCK_DONE */
	if (event->received && BPF_CORE_READ(sk, __sk_common.skc_flags) & 1UL << SOCK_DONE)
		event->received--;
}

static __always_inline void life_over(struct sock___part *sk, const struct owner *owner)
{
	struct tcplife_event *event;

	if (owner_filtered(owner) || socket_filtered(sk))
		return;
	event = event_reserve_for(sizeof(*event), owner);
	if (!event)
		return;
	event->life_ns = owner && owner->since_ns ? bpf_ktime_get_boot_ns() - owner->since_ns : 0;
	socket_fill_ends(&event->ends, sk);
	fill_bytes(event, sk);
	event_submit(event);
}

static __always_inline void tcp_state_changed(void *ctx, struct sock___part *sk, int oldstate, int newstate)
{
	struct owner *kept, owner = {};

	if (oldstate != TCP_CLOSE && oldstate != TCP_LISTEN && newstate != TCP_ESTABLISHED && newstate != TCP_CLOSE)
		return;
	if (!socket_is_tcp(sk))
		return;
	kept = owner_of(sk);
	if (oldstate == TCP_CLOSE || (oldstate == TCP_LISTEN && newstate == TCP_SYN_RECV)) {
		/* a new connection, whatever was kept under this address */
		if (newstate == TCP_SYN_SENT) {
			owner_fill(&owner);
			owner_keep(sk, &owner);
		} else if (kept) {
			owner_drop(sk);
		}
	} else if (newstate == TCP_ESTABLISHED) {
		if (kept)
			owner = *kept;
		/* the boot clock has the time that the machine is suspended */
		owner.since_ns = bpf_ktime_get_boot_ns();
		owner_keep(sk, &owner);
	} else if (newstate == TCP_CLOSE) {
		/* those that were never established are tcpconnect's */
		if (oldstate != TCP_SYN_SENT && oldstate != TCP_SYN_RECV && oldstate != TCP_LISTEN)
			life_over(sk, kept);
		if (kept)
			owner_drop(sk);
	}
}

static __always_inline void tcp_accepted(struct sock___part *sk)
{
	struct owner *kept = owner_of(sk), owner = {};

	if (kept)
		owner.since_ns = kept->since_ns;
	owner_fill(&owner);
	owner_keep(sk, &owner);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
