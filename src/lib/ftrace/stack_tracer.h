/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's stack tracer (kernel/trace/trace_stack.c, CONFIG_STACK_TRACER): at each call of a function it looks how deep the stack is,
 * and keeps the deepest one.  There is one, for the whole system, so it is a lease (lease.h): it is taken only while it is off, has no
 * filter and has kept nothing, and all of that is so again afterwards, also after SIGKILL.
 *
 * It looks at stacks of tasks alone: not at those of interrupts, where these have their own, and not at functions that ftrace cannot hook.
 */
#ifndef PROBELIGHT_FTRACE_STACK_TRACER_H
#define PROBELIGHT_FTRACE_STACK_TRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lease.h"
#include "lib/print/fault.h"

#define STACK_TRACER_FOLDER "stack_tracer"	/* of the lease's record, in run_folder__path() */

struct stack_tracer {
	struct lease lease;
	int switch_fd;		/* for its end, as this process may open nothing for writing by then; -1: not open */
	bool runs;
	uint64_t max;		/* bytes, when it was last looked at */
	char *text;		/* stack_trace, once it has ended */
	char *at;		/* what is not read yet of that */
};

struct stack_frame {
	uint64_t depth;		/* bytes from here to the begin of the stack */
	uint64_t size;		/* bytes of them that are this function's */
	const char *function;	/* as the kernel names it, "vfs_read+0x9d/0x2b0 [ext4]"; in the tracer's text */
};

/* How many functions it would hook; 0: nobody tells. */
uint64_t stack_tracer__functions(void);

/*
 * 0, or -errno with a line in fault: -EOPNOTSUPP where the kernel has none, -EBUSY where somebody has it on or left a maximum or a
 * filter.
 */
int stack_tracer__check(struct fault *fault);

/*
 * Forgets the maximum and starts it.  pattern: as of set_ftrace_filter, it looks at the calls of these functions alone; NULL: of all.  0,
 * or -errno with a line in fault.  stack_tracer__close() takes one that failed, or that is zeroed but for switch_fd, which is -1.
 */
int stack_tracer__start(struct stack_tracer *tracer, const char *pattern, struct fault *fault);

/* While it runs: 0, or -errno with a line in fault, where somebody else has stopped it or has it forget its maximum. */
int stack_tracer__look(struct stack_tracer *tracer, struct fault *fault);

/* Reads what it has kept, and stops it.  0 or -errno. */
int stack_tracer__end(struct stack_tracer *tracer);

/* Then: the next frame, the deepest one first: 1, 0 behind the last, or -EINVAL: a line that is not understood. */
int stack_tracer__next(struct stack_tracer *tracer, struct stack_frame *frame);

/* All is as it was.  0 or -errno. */
int stack_tracer__close(struct stack_tracer *tracer);

#endif
