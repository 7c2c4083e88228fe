/* SPDX-License-Identifier: BSD-2-Clause */
/* The arguments of the call that a probe at a function's entry sees.  Include it once in a tool, after vmlinux.h. */
#ifndef PROBELIGHT_CALL_ARGS_BPF_H
#define PROBELIGHT_CALL_ARGS_BPF_H

#include <bpf/bpf_tracing.h>

#include "lib/shared/call_args.h"

/* All of them; of a function with fewer the others mean nothing. */
static __always_inline void call_args_fill(struct pt_regs *ctx, __u64 args[CALL_ARGS])
{
	args[0] = PT_REGS_PARM1(ctx);
	args[1] = PT_REGS_PARM2(ctx);
	args[2] = PT_REGS_PARM3(ctx);
	args[3] = PT_REGS_PARM4(ctx);
	args[4] = PT_REGS_PARM5(ctx);
	args[5] = PT_REGS_PARM6(ctx);
#if CALL_ARGS > 6
	args[6] = PT_REGS_PARM7(ctx);
	args[7] = PT_REGS_PARM8(ctx);
#endif
}

#endif
