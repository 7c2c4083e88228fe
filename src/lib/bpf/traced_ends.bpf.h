/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs that see calls of a tool's functions begin and return, by the names that traced/traced_ends.h looks for: session_probe on all
 * functions, where the kernel has sessions, else begin_probe_0 … and end_probe_0 … on a few.
 *
 *	static __noinline int begin(struct pt_regs *ctx, u64 function) { … }
 *	static __noinline int end(struct pt_regs *ctx, u32 frame, u64 function) { … }
 *	TRACED_ENDS(begin, end)
 *
 * begin() answers whether the call's return is wanted, end() answers 0.  function is the address that a session tells, or the function's
 * number.  frame is where the call's frame is (frames.bpf.h), which a session does not know at the return by itself: the call's value keeps
 * it.
 */
#ifndef PROBELIGHT_TRACED_ENDS_BPF_H
#define PROBELIGHT_TRACED_ENDS_BPF_H

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "frames.bpf.h"
#include "session.bpf.h"
#include "traced.bpf.h"

#define TRACED_ENDS(begin, end)                                                       \
	SEC("?session_probe")                                                         \
	int session_probe(struct pt_regs *ctx)                                        \
	{                                                                             \
		__u64 *frame = session_value(ctx);                                    \
                                                                                      \
		if (session_is_return(ctx))                                           \
			return end(ctx, (__u32)*frame, bpf_get_func_ip(ctx));         \
		*frame = frame_of_probe(ctx);                                         \
		/* 1: the kernel does not run the program at the return */            \
		return !begin(ctx, bpf_get_func_ip(ctx));                             \
	}                                                                             \
                                                                                      \
	static __always_inline int begin_probe(struct pt_regs *ctx, __u64 function)   \
	{                                                                             \
		begin(ctx, function);                                                 \
		return 0;                                                             \
	}                                                                             \
                                                                                      \
	static __always_inline int end_probe(struct pt_regs *ctx, __u64 function)     \
	{                                                                             \
		return end(ctx, frame_of_return(ctx), function);                      \
	}                                                                             \
                                                                                      \
	TRACED_PROGRAMS("?kprobe", begin_probe)                                       \
	TRACED_PROGRAMS("?kretprobe", end_probe)

#endif
