/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What programs that see begins and returns of calls do before the generated code (lib/gen) can read the arguments.  Include it once, after
 * vmlinux.h and bpf_tracing.h.
 */
#ifndef PROBELIGHT_ANYSNOOP_FRAMES_BPF_H
#define PROBELIGHT_ANYSNOOP_FRAMES_BPF_H

#include "anysnoop.h"
#include "lib/bpf/call_args.bpf.h"
#include "lib/bpf/patch.bpf.h"
#include "lib/bpf/returned.bpf.h"
#include "lib/bpf/tool.bpf.h"

/*
 * Of a 32-bit call: which halves make an argument differs between calls (lib/format/compat_args.h), and the registers' upper
 * halves may have anything.
 */
static __always_inline int take_compat(__u64 *args)
{
	__u32 low = (__u32)PATCH_NUMBER(ANYSNOOP_LOW), high = (__u32)PATCH_NUMBER(ANYSNOOP_HIGH), halves[8] = {};

	if (low & COMPAT_ARGS_IN_STRUCT) {
		if (bpf_probe_read_user(halves, SYSCALL_ARGS_MAX * sizeof(*halves), (void *)(args[0] & 0xffffffff)))
			return -1;
	} else {
		for (int i = 0; i < SYSCALL_ARGS_MAX; i++)
			halves[i] = (__u32)args[i];
	}
	for (int i = 0; i < SYSCALL_ARGS_MAX; i++)
		args[i] = halves[low >> 4 * i & 7] | (__u64)halves[high >> 4 * i & 7] << 32;
	return 0;
}

/*
 * The arguments of a system call that begins; one whose arguments cannot be read is lost. A function of its own, so that what its caller
 * has on the stack stays small.
 */
static __noinline int read_arguments(void *ctx, __u64 *args, __u64 kind)
{
	/* through a helper: programs may not add to the address of their context */
	bpf_probe_read_kernel(args, SYSCALL_ARGS_MAX * sizeof(*args), ctx + PATCH_NUMBER(ANYSNOOP_VALUES));
	if (kind != SYSCALL_COMPAT || !take_compat(args))
		return 0;
	event_count_lost();
	return -1;
}

/* A function of its own: what it has on the stack is not in the way of the generated code. */
static __noinline int keep(void *ctx, __u64 kind)
{
	struct returned call;

	if (task_pid_tgid() >> 32 == filter.self)
		return 0;
	if (!read_arguments(ctx, call.args, kind))
		returned_begin((__u32)PATCH_NUMBER(ANYSNOOP_INDEX), 0, &call);
	return 0;
}

/* The same for a call of a function, of event number `index`. */
static __always_inline void keep_function(struct pt_regs *ctx, __u32 index)
{
	struct returned call;

	if (event_is_over() || task_filtered())
		return;
	call_args_fill(ctx, call.args);
	returned_begin(index, (__u32)PT_REGS_SP(ctx), &call);
}

#endif
