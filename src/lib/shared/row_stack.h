/* SPDX-License-Identifier: BSD-2-Clause */
/* The stacks of a row (--stack, --ustack), as programs send them.  A BPF program includes vmlinux.h before. */
#ifndef PROBELIGHT_ROW_STACK_H
#define PROBELIGHT_ROW_STACK_H

#include "stack.h"

/* Bits: which stacks. */
#define ROW_STACK_KERNEL (1 << STACK_KERNEL)
#define ROW_STACK_USER (1 << STACK_USER)

struct row_stack {
	__u64 ts_ns;			/* with tid: the row that it is of, as in its struct event_task */
	__u32 tid;
	__u32 pid;			/* of the current task, in the caller's pid namespace; 0: it is not in it */
	struct stack_program program;	/* of the user stack; 0: not known, or there is none */
	__s32 sizes[STACK_KINDS];	/* bytes of frames; negative: there is no such stack */
	__u64 link;			/* arch_probe_link() */
	__u64 user_caller;		/* of a program's function, at its start or ret (arch_user_caller()); 0: not known */
	__u64 frames[STACK_KINDS][STACK_FRAMES_MAX];	/* addresses, the innermost first; where one kind is wanted it is the first */
};

#endif
