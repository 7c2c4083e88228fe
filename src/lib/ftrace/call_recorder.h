/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls of functions, one by one, in the order of time, as the tracer `function` of an instance records them, each with the task that
 * calls.
 */
#ifndef PROBELIGHT_CALL_RECORDER_H
#define PROBELIGHT_CALL_RECORDER_H

#include "function_tracer.h"
#include "task_events.h"

struct call_recorder {
	struct function_tracer tracer;
	struct task_events tasks;
	bool stopped;
};

struct recorded_call {
	struct function_call call;
	uint32_t cpu;
	uint32_t pid;			/* the process; the thread's number where nobody knows it */
	const char *comm;		/* TASK_COMM_LEN bytes, valid until the next call; NULL: nobody knows */
	bool lost_some;			/* calls of this CPU were overwritten just before it */
	uint64_t lost;			/* how many; 0: the kernel does not say */
};

/*
 * Starts to record the functions in the instance's set_ftrace_filter, of the threads in tids alone where count is not 0: numbers of the initial
 * pid namespace.  buffer_kb: for each CPU.  0 or -errno with one line in why.  call_recorder__close() takes one that failed or is zeroed.
 */
int call_recorder__open(struct call_recorder *recorder, const struct instance *instance, unsigned int buffer_kb, const uint32_t *tids,
			size_t count, char *why, size_t size);

/* The next one: 1, 0 where there is none for now, or -errno of read(2). */
int call_recorder__next(struct call_recorder *recorder, struct recorded_call *recorded);

/* Ends the recording.  What was recorded is still to be read. */
void call_recorder__end(struct call_recorder *recorder);

/* Calls that were overwritten before they were read, or found no room.  0 or -errno: it is not known. */
int call_recorder__lost(const struct call_recorder *recorder, uint64_t *lost);

/* Closes its files; the instance is the caller's.  0 or -errno of removing what it made itself. */
int call_recorder__close(struct call_recorder *recorder);

#endif
