/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's tracer `function` in an instance of our own: a record for each call of the functions in the instance's set_ftrace_filter.
 * Every call is in the buffers, or counted there as lost; this thread's own calls are none.
 */
#ifndef PROBELIGHT_FUNCTION_TRACER_H
#define PROBELIGHT_FUNCTION_TRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/kernel/unaligned.h"

#include "instance.h"
#include "intact.h"
#include "lib/print/fault.h"
#include "record_state.h"
#include "stack_record.h"
#include "stream.h"


struct function_tracer {
	const struct instance *instance;	/* NULL: it is not open */
	struct stream stream;
	struct intact intact;		/* since it records */
	int on_fd;			/* tracing_on */
	uint16_t type;			/* of a call's record, and where its fields are */
	uint32_t ip, parent_ip, pid, size_min;
	uint32_t args;			/* 0: they are not recorded */
	bool has_stacks;		/* a record of each call's stack follows: asked for, or by an option that is somebody else's */
	struct stack_layout stack;
	pid_t self;			/* whose calls are no events; 0: not known (in a pid namespace) */
};

struct function_call {
	uint64_t time_ns;		/* CLOCK_MONOTONIC */
	uint64_t function;		/* in it: its symbol, or a few bytes behind (IBT) */
	uint64_t caller;		/* where it returns to */
	uint32_t tid;			/* who calls; 0: the idle task */
	uint16_t state;			/* record_state.h */
};

/* How it starts; stacks or arguments, not both, and only where function_options__lack() names nothing. */
enum function_tracer_start {
	FUNCTION_TRACER_RECORDS = 1,	/* it records, and some of the records come before function_tracer__open() returns */
	FUNCTION_TRACER_STACKS = 2,
	FUNCTION_TRACER_ARGS = 4,
};

/*
 * Starts the tracer.  To switch recording on later has the kernel empty the buffers, and so wait for a grace period
 * (function_trace_start()):  16 M instructions of a guest that counts.  how: of enum function_tracer_start, or 0.  0 or -errno, with a line
 * in fault: -EBUSY: function hooks are switched off.  function_tracer__close() takes one that failed or is zeroed.
 */
int function_tracer__open(struct function_tracer *tracer, const struct instance *instance, unsigned int how,
			  struct fault *fault);

/* Recording begins, or ends: after that nothing more is written.  Between the two intact tells whether it is still ours.  0 or -errno. */
int function_tracer__start(struct function_tracer *tracer);
int function_tracer__stop(struct function_tracer *tracer);

/* Where it records from the start: from now on intact tells.  0 or -errno. */
int function_tracer__watch(struct function_tracer *tracer);
/* What a record of the stream says; false: it is no call, or one of this thread. */
static inline bool function_tracer__call(const struct function_tracer *tracer, const struct page_record *record, struct function_call *call)
{
	if (record->type != tracer->type || record->size < tracer->size_min)
		return false;
	call->time_ns = record->time;
	call->function = read_u64(record->data + tracer->ip);
	call->caller = read_u64(record->data + tracer->parent_ip);
	call->tid = read_u32(record->data + tracer->pid);
	call->state = record_state__of(record->data);
	return call->function && (!tracer->self || call->tid != (uint32_t)tracer->self);
}

/* Whether a call is of a function that is asked for: somebody may have changed the filter (intact.h). */
static inline bool function_tracer__is_ours(struct function_tracer *tracer, const struct function_call *call)
{
	return intact__knows(&tracer->intact, call->function, call->time_ns);
}

/* The arguments of a call's record.  How many; 0: it has none. */
size_t function_tracer__args(const struct function_tracer *tracer, const struct page_record *record, uint64_t args[CALL_ARGS]);

/* Closes the instance's files, so that it can be removed. */
void function_tracer__close(struct function_tracer *tracer);

#endif
