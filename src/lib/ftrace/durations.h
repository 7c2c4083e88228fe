/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long calls take, by the kernel's function_graph tracer in an instance of our own (since 6.11: f6eb3ba5d0a4 and others; before, the
 * instance is the top, top_level.h), on the functions in its set_ftrace_filter.  The record of a return has how long its call took.  A call
 * has a place of its own on its task's stack of return addresses, so calls that sleep are seen to return, however many.
 *
 *	calls = returned + under way + lost + never returned
 *
 * where a lost one has no record of its return, and the task of one that never returned is gone (do_exit()).
 */
#ifndef PROBELIGHT_DURATIONS_H
#define PROBELIGHT_DURATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "graph_record.h"
#include "instance.h"
#include "intact.h"
#include "lib/kernel/hash.h"
#include "lib/print/fault.h"
#include "stream.h"
#include "task_events.h"
#include "task_free.h"

/* A call that has begun; behind it its arguments, where they are kept. */
struct open_call {
	uint64_t function;
	uint64_t losses;		/* as of struct durations, when it was read */
	bool disowned;			/* durations__disown() */
	uint8_t args_count;		/* 0: they are not known */
};

struct durations {
	const struct instance *instance;	/* NULL: it is not open */
	struct stream stream;
	struct intact intact;		/* since it records */
	struct task_events tasks;
	bool with_tasks;
	bool stopped;
	int on_fd;			/* tracing_on */
	pid_t self;			/* whose calls are none; 0: not known (in a pid namespace) */
	struct graph_layout layout;
	/* struct open_call by its task's number (of an idle task the CPU's, with the upper bit), and how deep it is in calls */
	struct hash open;
	uint32_t depth_max;		/* of all calls until now */
	bool keeps_args;
	struct task_free task_free;	/* without these records the calls of tasks that are gone stay under way */
	uint64_t ended_args[CALL_ARGS];	/* of the call that returned last */
	struct open_call *begun;	/* by the record that was read last, or NULL */
	uint64_t losses;		/* how often records were found to be overwritten */
	uint64_t returned;
	uint64_t no_return, no_begin;	/* calls of which only one record was there, when nothing was overwritten any more */
	uint64_t never_returned;
	uint64_t missed;		/* calls that found no room on the stack of return addresses */
	struct {
		uint32_t task, overrun;
	} overruns[1024];		/* what a task's last record said of these */
};

struct duration {
	uint64_t time_ns;		/* CLOCK_MONOTONIC, when it returned */
	uint64_t ns;
	uint64_t function;		/* its address, or a few bytes behind it (IBT) */
	uint32_t cpu;			/* where it returned */
	uint32_t tid, pid;		/* with_tasks; pid as tid where nobody knows the process */
	const char *comm;		/* with_tasks: valid until the next one; NULL: nobody knows */
	bool lost_some;			/* records of this CPU were overwritten just before it */
	uint64_t lost;			/* how many; 0: the kernel does not say */
	const uint64_t *args;		/* with_args: valid until the next one */
	size_t args_count;		/* 0: they are not known */
};

/* Why this kernel cannot, a few words; NULL: it can. */
const char *durations__lacks(void);

/* Whether this kernel's records can have arguments (funcgraph-args, since 6.15). */
bool durations__has_args(void);

/*
 * Starts the tracer, without recording yet, with ring buffers of buffer_kb for each CPU; of the threads in tids alone where count is not 0.
 * with_args makes the records longer, where they can have arguments.  0 or -errno, with a line in fault; -EBUSY: hooks are switched off, or
 * somebody has changed a file of tracefs that is one for the whole system.
 * durations__close() takes one that failed or is zeroed.
 */
int durations__open(struct durations *durations, const struct instance *instance, unsigned int buffer_kb, bool with_tasks, bool with_args,
		    const uint32_t *tids, size_t count, struct fault *fault);
int durations__close(struct durations *durations);

/* Recording begins, or ends: what was recorded is still to be read.  0 or -errno. */
int durations__start(struct durations *durations);
int durations__stop(struct durations *durations);

/*
 * Reads a record, of which duration->time_ns is set in any case: 1, 0 where there is none for now, or -errno.  *is_return: it is a return,
 * and *duration has the call.  Else, and with_tasks, the task of a call that begins is there, and durations__disown() leaves that call out
 * of those under way.
 */
int durations__next(struct durations *durations, struct duration *duration, bool *is_return);
void durations__disown(struct durations *durations);

/*
 * Calls whose return is not in the records: until now, or once all were read after the end, exactly, but where a call was under way at the
 * end that began before records were overwritten.  0, or -errno where the statistics cannot be read.
 */
int durations__lost(const struct durations *durations, uint64_t *lost);

/* Calls that have not returned. */
uint64_t durations__under_way(const struct durations *durations);

#endif
