/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs of trampolines that let no other one run on their CPU.  Before 5.12 (ca06f55b9002) the kernel does not see to that: a program on a
 * function that it calls itself, by a helper, would be run by that call again, without end.
 *
 *	struct alone alone;
 *
 *	if (alone_begin(&alone)) {
 *		…
 *		alone_end(&alone);
 *	}
 *
 * Before the first and after the last line nothing may be called but bpf_get_smp_processor_id().  Not for kernels that preempt
 * their own code (kernel__is_preemptible()): on PREEMPT_RT another task's program may come in between.
 */
#ifndef PROBELIGHT_ALONE_BPF_H
#define PROBELIGHT_ALONE_BPF_H

#include <bpf/bpf_helpers.h>

const volatile bool alone_by_itself = false;	/* the kernel does not see to it; trampoline__prepare() tells */

/* The user side makes max_entries the number of possible CPUs.  A cache line for each. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64[8]);
} alone_map SEC(".maps");

struct alone {
	volatile __u64 *running;
};

/* False: one is running here already, or the CPU is not a possible one. */
static __always_inline bool alone_begin(struct alone *alone)
{
	__u32 cpu;

	if (!alone_by_itself)
		return true;
	cpu = bpf_get_smp_processor_id();
	alone->running = bpf_map_lookup_elem(&alone_map, &cpu);
	if (!alone->running || *alone->running)
		return false;
	*alone->running = 1;
	return true;
}

static __always_inline void alone_end(const struct alone *alone)
{
	if (alone_by_itself)
		*alone->running = 0;
}

#endif
