/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The round trip times that TCP sockets have measured, at each segment that an established connection receives (tcp_probe).  The kernel
 * keeps them in microseconds: srtt_us is 8 times the smoothed one, mdev_us 4 times the mean deviation.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "lib/bpf/ends.bpf.h"
#include "lib/bpf/counts.bpf.h"
#include "lib/bpf/hist.bpf.h"
#include "lib/bpf/table.bpf.h"
#include "lib/bpf/tp_prog.bpf.h"
#include "tcprtt.h"

COUNTS(struct tcprtt_counts, 1);
TABLE(struct socket_ends, struct hist_rough, TCPRTT_KEYS);

const volatile __u32 by = 0;		/* bits of enum socket_part */
const volatile __u32 value_kind = TCPRTT_SMOOTHED;

struct tcp_sock___part {
	u32 srtt_us;
	u32 mdev_us;
	struct {
		struct {
			u32 v;
		} s[1];
	} rtt_min;
} __attribute__((preserve_access_index));

struct tp_tcp__tcp_probe {
	const void *skaddr;
} __attribute__((preserve_access_index));

static __always_inline u64 value_of(const struct tcp_sock___part *tcp, u32 smoothed_us)
{
	if (value_kind == TCPRTT_DEVIATION)
		return BPF_CORE_READ(tcp, mdev_us) >> 2;
	if (value_kind == TCPRTT_LEAST)
		return BPF_CORE_READ(tcp, rtt_min.s[0].v);
	return smoothed_us >> 3;
}

static __always_inline int segment_received(const struct sock___part *sk)
{
	const struct tcp_sock___part *tcp = (const struct tcp_sock___part *)sk;
	struct tcprtt_counts *counts;
	struct socket_ends key = {};
	struct hist_rough *hist;
	u32 smoothed_us;
	u64 value_ns;

	if (event_is_over() || socket_filtered(sk))
		return 0;
	counts = counts_at(1, 0);
	if (!counts)
		return 0;
	smoothed_us = BPF_CORE_READ(tcp, srtt_us);
	if (!smoothed_us) {
		count_add(&counts->unknown, 1);
		return 0;
	}
	value_ns = value_of(tcp, smoothed_us) * 1000;
	if (!by) {
		hist_add(&counts->times, value_ns);
		return 0;
	}
	socket_fill_parts(&key, sk, by);
	hist = table_at(&key);
	hist_rough_add(hist ? hist : &counts->others, value_ns);
	return 0;
}

/* In softirqs a program on the record is skipped if it hit another one; from 7.0 on a raw one can be preempted, and misses others. */
SEC("raw_tp/tcp_probe")
int BPF_PROG(probe_raw, struct sock___part *sk)
{
	return segment_received(sk);
}

SEC("tp/tcp/tcp_probe")
int TP_PROG(probe_record, struct tp_tcp__tcp_probe *ctx)
{
	return segment_received((const struct sock___part *)ctx->skaddr);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
