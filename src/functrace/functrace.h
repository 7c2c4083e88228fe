/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_FUNCTRACE_H
#define PROBELIGHT_FUNCTRACE_H

#include "lib/shared/call_args.h"
#include "lib/shared/event.h"
#include "lib/shared/stack.h"

#define FUNCTRACE_FRAMES 32

/* What -r keeps from the begin of a call: the caller, then the arguments. */
#define FRAMES_THREADS 1024
#define FRAME_WORDS (1 + CALL_ARGS)
#include "lib/shared/frame.h"

/* A call; with -r when it returned. */
struct functrace_event {
	struct event_task task;
	__u64 function;		/* its number, or its address where one program is on all of them */
	__u64 caller;		/* where it returns to */
	__u64 result;		/* -r, this and the next */
	__u64 ns;		/* how long it took */
	__u32 cpu;
	__s32 frames_size;	/* bytes; negative: there is no stack */
	union {
		__u64 args[CALL_ARGS];		/* -a only; with -s they have their place */
		struct stack_program program;	/* of a function of a program: what the process executed; 0: not known */
	};
	__u64 frames[FUNCTRACE_FRAMES];		/* -s only: the kernel stack, the innermost first */
};

/* Of a function of a program. */
#define FUNCTRACE_USER_SIZE (offsetof(struct functrace_event, program) + sizeof(struct stack_program))

#endif
