/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls of functions, one by one, in the order of time, as the tracer `function` of an instance records them, each with the task that
 * calls.
 */
#ifndef PROBELIGHT_CALL_RECORDER_H
#define PROBELIGHT_CALL_RECORDER_H

#include "call_pairs.h"
#include "function_tracer.h"
#include "lib/print/fault.h"
#include "task_events.h"

#define CALL_FRAMES_MAX 32

struct recorded_call {
	struct function_call call;
	uint32_t cpu;
	uint32_t pid;			/* the process; the thread's number where nobody knows it */
	const char *comm;		/* TASK_COMM_LEN bytes, valid until the next call; NULL: nobody knows */
	bool lost_some;			/* calls of this CPU were overwritten just before it */
	uint64_t lost;			/* how many; 0: the kernel does not say */
	size_t args_count;		/* 0: they are not known */
	uint64_t args[CALL_ARGS];
	size_t frames_count;		/* 0: it has no stack */
	uint64_t frames[CALL_FRAMES_MAX];	/* an address in the function, where it returns to, and so on */
};

struct call_recorder {
	struct function_tracer tracer;
	struct task_events tasks;
	bool stopped;
	/* with stacks */
	struct call_pairs *pairs;	/* of stream.cpus */
	bool is_waiting;		/* for the stack of: */
	bool is_call;			/* false: a call of this thread */
	struct recorded_call waiting;
	struct record_context context;
};

struct call_recorder_wants {
	unsigned int buffer_kb;		/* of each CPU's ring buffer */
	const uint32_t *tids;		/* of these threads alone, by their numbers in the initial pid namespace */
	size_t tids_count;		/* 0: of all */
	bool stacks, args;		/* not both, and only where function_options__lack() names nothing */
};

/*
 * Starts to record the functions in the instance's set_ftrace_filter.  0 or -errno with one line in fault.
 * call_recorder__close() takes one that failed or is zeroed.
 */
int call_recorder__open(struct call_recorder *recorder, const struct instance *instance,
			const struct call_recorder_wants *wants, struct fault *fault);

/* The next one: 1, 0 where there is none for now, or -errno of read(2). */
int call_recorder__next(struct call_recorder *recorder, struct recorded_call *recorded);

/* Ends the recording.  What was recorded is still to be read. */
void call_recorder__end(struct call_recorder *recorder);

/*
 * Calls that were overwritten before they were read, or found no room; call_pairs.h tells how exact that is with stacks.  0 or -errno: it
 * is not known.
 */
int call_recorder__lost(const struct call_recorder *recorder, uint64_t *lost);

/* Closes its files; the instance is the caller's.  0 or -errno of removing what it made itself. */
int call_recorder__close(struct call_recorder *recorder);

#endif
