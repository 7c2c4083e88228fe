/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs of type kprobe on uprobes, on kernels that can preempt them there.  From 6.13 on a program of that type with 64 bytes or more
 * on its stack has a stack for each CPU ("private stack") where the JIT compiler can make one.  On kprobes nothing else can use it
 * meanwhile.  On uprobes preemption is on: when a thread is preempted in the program and another one runs it on that CPU, they write to the
 * same stack.  (7.3 with PREEMPT_LAZY, 4 threads of 5,000 calls: 1 to 9 calls in 20,000 were kept under a wrong key.)  A program that may
 * make a tail call is given no such stack, so these have one that is never made.  Include it once in a tool, after vmlinux.h.
 */
#ifndef PROBELIGHT_OWN_STACK_BPF_H
#define PROBELIGHT_OWN_STACK_BPF_H

#include <bpf/bpf_helpers.h>

#include "stats.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} no_programs SEC(".maps");

/* Whether the kernel makes such stacks; the user side sets it (lib/run/tool.c). */
const volatile bool has_private_stacks = true;

/* At the begin of a program.  The table is empty: the call does nothing, and is not even tried while the run goes on. */
static __always_inline void own_stack_ask(void *ctx)
{
	if (has_private_stacks && event_is_over())
		bpf_tail_call(ctx, &no_programs, 0);
}

#endif
