/* SPDX-License-Identifier: BSD-2-Clause */
#include "durations.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/kernel/switches.h"
#include "lib/print/count.h"
#include "lib/probe/attached.h"
#include "lease.h"
#include "top_level.h"
#include "tracer.h"

#define CALLS_MAX (1 << 20)	/* that are open */
#define IDLE_TASK (1u << 31)

const char *durations__lacks(void)
{
	if (!tracer__exists(NULL, "function_graph"))
		return "this kernel has no function_graph (CONFIG_FUNCTION_GRAPH_TRACER)";
	return NULL;
}

bool durations__has_args(void)
{
	struct graph_layout layout;

	return !graph_layout__read(&layout) && layout.entry.args;
}

/* More calls are open than there is room for, or were lost: this one's return will not be known. */
static void on_evicted(void *ctx, uint64_t key, void *call)
{
	struct durations *durations = ctx;

	(void)key;
	(void)call;
	durations->no_return++;
}

static int start_tracer(struct durations *durations, bool with_args, struct fault *fault)
{
	const struct instance *instance = durations->instance;
	int err;

	err = instance__start_tracer(instance, "function_graph", top_level__is(instance) ? TOP_STARTS :
				     "the kernel's function_graph cannot be started", fault);
	if (err)
		return err;
	attached__note(NULL, "tracer", "function_graph");
	/* the time that a call sleeps is its own; the option is there once the tracer is, at the top always (top_level.h) */
	if (!top_level__is(instance))
		instance__write(instance, "options/sleep-time", "1\n");
	durations->keeps_args = with_args && durations->layout.entry.args && !instance__write(instance, "options/funcgraph-args", "1\n");
	durations->open = (struct hash){
		.value_size = sizeof(struct open_call) + (durations->keeps_args ? CALL_ARGS * sizeof(uint64_t) : 0),
		.bound = CALLS_MAX, .evicted = on_evicted, .ctx = durations,
	};
	return 0;
}

int durations__open(struct durations *durations, const struct instance *instance, unsigned int buffer_kb, bool with_tasks, bool with_args,
		    const uint32_t *tids, size_t count, struct fault *fault)
{
	char number[16];
	int err;

	*durations = (struct durations){ .instance = instance, .with_tasks = with_tasks, .on_fd = -1 };
	err = graph_layout__read(&durations->layout);
	if (err)
		return switches__explain(fault, err, "events/ftrace/funcgraph_exit/format in tracefs cannot be read (CONFIG_FUNCTION_GRAPH_TRACER)");
	/* what somebody else has written there would keep calls from being recorded */
	err = lease__check(lease_graph_files, fault);
	if (err)
		return err;
	snprintf(number, sizeof(number), "%u\n", buffer_kb);
	err = instance__write(instance, "tracing_on", "0\n");
	if (!err)
		err = instance__write(instance, "buffer_size_kb", number);
	if (!err)
		err = instance__only_tids(instance, tids, count);
	if (err)
		return switches__explain(fault, err, "the instance in tracefs cannot be used");
	durations->self = instance__leave_out_self(instance);
	if (with_tasks)
		err = task_events__open(&durations->tasks, fault);
	if (!err)
		err = start_tracer(durations, with_args, fault);
	if (err)
		return err;
	task_free__watch(&durations->task_free, instance);
	/* not before: while they are open the kernel lets nobody change the tracer (EBUSY) */
	err = stream__open(&durations->stream, instance->path);
	if (!err) {
		durations->on_fd = instance__open(instance, "tracing_on", O_WRONLY);
		err = durations->on_fd < 0 ? durations->on_fd : 0;
	}
	if (!err)
		err = top_level__settle(instance);
	return err ? switches__explain(fault, err, "the ring buffers in tracefs cannot be opened") : 0;
}

int durations__close(struct durations *durations)
{
	if (!durations->instance)
		return 0;
	stream__close(&durations->stream);
	if (durations->on_fd >= 0)
		close(durations->on_fd);
	durations->on_fd = -1;
	intact__end(&durations->intact);
	/* what is open is no loss now */
	durations->open.evicted = NULL;
	hash__free(&durations->open);
	return durations->with_tasks ? task_events__close(&durations->tasks) : 0;
}

int durations__start(struct durations *durations)
{
	if (write(durations->on_fd, "1", 1) != 1)
		return -errno;
	intact__begin(&durations->intact, durations->instance, &durations->stream);
	return intact__add_tracer(&durations->intact) ?: intact__add_graph(&durations->intact);
}

int durations__stop(struct durations *durations)
{
	int err;

	intact__finish(&durations->intact);
	err = write(durations->on_fd, "0", 1) == 1 ? 0 : -errno;
	/* a record that another CPU was writing is finished after this (synchronize_rcu(); not on kernels booted with nohz_full) */
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	stream__end(&durations->stream);
	if (durations->with_tasks)
		task_events__end(&durations->tasks);
	durations->stopped = true;
	return err;
}

/* ---- calls that have begun */

static uint64_t key_of(uint32_t task, uint32_t depth)
{
	return (uint64_t)task << 32 | depth;
}

/* The arguments of a call, where they are kept. */
static uint64_t *args_of(struct open_call *call)
{
	return (uint64_t *)(call + 1);
}

/* A call begins: what was open at its depth had returned, and so had all that is deeper. */
static int begin(struct durations *durations, uint32_t task, const struct graph_record *record)
{
	struct open_call *call = hash__find(&durations->open, key_of(task, record->depth));

	if (call)
		durations->no_return++;
	else
		call = hash__add(&durations->open, key_of(task, record->depth));
	if (!call)
		return -ENOMEM;
	if (record->depth > durations->depth_max)
		durations->depth_max = record->depth;
	*call = (struct open_call){ record->function, durations->losses, false, durations->keeps_args ? (uint8_t)record->args_count : 0 };
	if (call->args_count)
		memcpy(args_of(call), record->args, sizeof(record->args));
	durations->begun = call;
	return 0;
}

/* A call returns: how many arguments of it are in ended_args. */
static size_t end(struct durations *durations, uint32_t task, const struct graph_record *record)
{
	struct open_call *call = hash__find(&durations->open, key_of(task, record->depth));
	bool is_this = call && call->function == record->function;
	size_t args_count = is_this ? call->args_count : 0;

	durations->returned++;
	durations->no_begin += !is_this;
	durations->no_return += call && !is_this;
	if (args_count)
		memcpy(durations->ended_args, args_of(call), sizeof(durations->ended_args));
	if (call)
		hash__remove(&durations->open, key_of(task, record->depth));
	return args_count;
}

/* A task is gone, and its calls with it: do_exit() never returns.  Records that were lost since one began may have had its return. */
static void end_task(struct durations *durations, uint32_t task)
{
	for (uint32_t depth = 0; depth <= durations->depth_max; depth++) {
		const struct open_call *call = hash__find(&durations->open, key_of(task, depth));

		if (!call)
			continue;
		if (call->losses != durations->losses)
			durations->no_return++;
		else if (!call->disowned)
			durations->never_returned++;
		hash__remove(&durations->open, key_of(task, depth));
	}
}

/*
 * The kernel counts for each task the calls that found no room on its stack, since it has one; the record of the call that returns next
 * tells.  A task that is seen first begins with what its record says.
 */
static void note_overrun(struct durations *durations, uint32_t task, const struct graph_record *record)
{
	size_t at = task * 0x9e3779b1u % (sizeof(durations->overruns) / sizeof(*durations->overruns));
	uint32_t overrun = (uint32_t)record->overrun;

	if (durations->overruns[at].task == task)
		durations->missed += graph_record__overrun_rise(durations->overruns[at].overrun, overrun);
	durations->overruns[at].task = task;
	durations->overruns[at].overrun = overrun;
}

/* ---- records */

static void set_task(struct durations *durations, struct duration *duration)
{
	const struct task *task = durations->with_tasks ?
		task_events__at(&durations->tasks, duration->tid, duration->time_ns) : NULL;

	duration->pid = task ? task->pid : duration->tid;
	duration->comm = task ? task->comm : NULL;
}

int durations__next(struct durations *durations, struct duration *duration, bool *is_return)
{
	struct stream_record next;
	struct graph_record record;
	uint32_t task;
	int more = stream__next(&durations->stream, &next);

	*is_return = false;
	durations->begun = NULL;
	if (more <= 0)
		return more;
	*duration = (struct duration){
		.time_ns = next.record.time, .cpu = (uint32_t)next.cpu, .lost_some = next.lost_some, .lost = next.lost,
	};
	durations->losses += next.lost_some;
	if (task_free__is(&durations->task_free, &next.record, &task)) {
		end_task(durations, task);
		return 1;
	}
	if (!graph_record__decode(&durations->layout, &next.record, &record) ||
	    (durations->self && record.tid == (uint32_t)durations->self))
		return 1;
	/* somebody else's: it is nothing here, and the run ends */
	if (!intact__knows(&durations->intact, record.function, next.record.time))
		return 1;
	duration->tid = record.tid;
	set_task(durations, duration);
	task = record.tid ? record.tid : (uint32_t)next.cpu | IDLE_TASK;
	if (record.kind == GRAPH_ENTRY) {
		int err = begin(durations, task, &record);

		return err ? err : 1;
	}
	duration->args = durations->ended_args;
	duration->args_count = end(durations, task, &record);
	note_overrun(durations, task, &record);
	duration->ns = record.ns;
	duration->function = record.function;
	*is_return = true;
	return 1;
}

void durations__disown(struct durations *durations)
{
	if (durations->begun)
		durations->begun->disowned = true;
}

/* Calls that are open: those since whose begin something was overwritten, which may have been the return; and the others. */
static void count_open(const struct durations *durations, uint64_t *doubtful, uint64_t *sure)
{
	const struct open_call *call;
	uint64_t key;

	*doubtful = *sure = 0;
	for (size_t at = 0; (call = hash__next(&durations->open, &at, &key));) {
		*doubtful += call->losses != durations->losses;
		*sure += call->losses == durations->losses && !call->disowned;
	}
}

int durations__lost(const struct durations *durations, uint64_t *lost)
{
	uint64_t halves = durations->no_return + durations->no_begin, doubtful, sure;
	struct stream_stats stats;
	int err = stream__stats(&durations->stream, &stats);

	if (err)
		return err;
	count_open(durations, &doubtful, &sure);
	/* before the end such a call is not told: it may return yet */
	if (!durations->stopped)
		doubtful = 0;
	*lost = durations->no_return + doubtful + stats.refused + durations->stream.broken;
	/* a call has two records: of the others both were overwritten */
	halves += doubtful;
	*lost += (count__minus(stats.overrun, halves) + 1) / 2;
	return 0;
}

uint64_t durations__under_way(const struct durations *durations)
{
	uint64_t doubtful, sure;

	count_open(durations, &doubtful, &sure);
	return durations->stopped ? sure : doubtful + sure;
}
