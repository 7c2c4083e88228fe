/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps a program on a trampoline from running while another one runs on the same CPU.  The kernel does so since 5.12 (ca06f55b9002).
 * Before, a program on a function that it calls itself, by a helper, was run again by that call, and so on until the stack was full and the
 * machine crashed.
 *
 *	u64 *running = alone_begin();
 *
 *	if (running)
 *		…
 *	alone_end(running);
 *
 * Where the answer is NULL, and outside of the two, bpf_get_smp_processor_id() is all that may be called: it cannot be traced
 * (functions__deny()).  Not for kernels that preempt their own code (kernel__is_preemptible()): on PREEMPT_RT another task's program may
 * come in between.
 */
#ifndef PROBELIGHT_ALONE_BPF_H
#define PROBELIGHT_ALONE_BPF_H

#include <bpf/bpf_helpers.h>

/* The user side makes max_entries the number of possible CPUs.  A cache line for each. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64[8]);
} alone_map SEC(".maps");

/* The mark of this CPU, to give to alone_end(); NULL: one is running here already, or the map has no room for this CPU. */
static __always_inline __u64 *alone_begin(void)
{
	__u32 cpu = bpf_get_smp_processor_id();
	__u64 *running = bpf_map_lookup_elem(&alone_map, &cpu);

	if (!running || *(volatile __u64 *)running)
		return NULL;
	*(volatile __u64 *)running = 1;
	return running;
}

/* Takes NULL. */
static __always_inline void alone_end(__u64 *running)
{
	if (running)
		*(volatile __u64 *)running = 0;
}

#endif
