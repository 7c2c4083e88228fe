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
#include "lease.h"
#include "top.h"
#include "tracer.h"

#define ROOM_FIRST 1024
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

static int start_tracer(struct durations *durations, bool with_args, char *why, size_t size)
{
	const struct instance *instance = durations->instance;
	int err;

	err = instance__start_tracer(instance, "function_graph", top__is(instance) ? TOP_STARTS : "the kernel's function_graph cannot be started",
				     why, size);
	if (err)
		return err;
	/* the time that a call sleeps is its own; the option is there once the tracer is, at the top always (top.h) */
	if (!top__is(instance))
		instance__write(instance, "options/sleep-time", "1\n");
	if (!with_args || !durations->layout.entry.args || instance__write(instance, "options/funcgraph-args", "1\n"))
		return 0;
	durations->args = calloc(durations->room, sizeof(*durations->args));
	return durations->args ? 0 : switches__explain(-ENOMEM, why, size, "room for calls");
}

int durations__open(struct durations *durations, const struct instance *instance, unsigned int buffer_kb, bool with_tasks, bool with_args,
		    const uint32_t *tids, size_t count, char *why, size_t size)
{
	char number[16];
	int err;

	*durations = (struct durations){ .instance = instance, .with_tasks = with_tasks, .on_fd = -1, .room = ROOM_FIRST };
	durations->open = calloc(durations->room, sizeof(*durations->open));
	if (!durations->open)
		return switches__explain(-ENOMEM, why, size, "room for calls");
	err = graph_layout__read(&durations->layout);
	if (err)
		return switches__explain(err, why, size, "events/ftrace/funcgraph_exit/format in tracefs cannot be read (CONFIG_FUNCTION_GRAPH_TRACER)");
	/* what somebody else has written there would keep calls from being recorded */
	err = lease__check(lease_graph_files, why, size);
	if (err)
		return err;
	snprintf(number, sizeof(number), "%u\n", buffer_kb);
	err = instance__write(instance, "tracing_on", "0\n");
	if (!err)
		err = instance__write(instance, "buffer_size_kb", number);
	if (!err)
		err = instance__only_tids(instance, tids, count);
	if (err)
		return switches__explain(err, why, size, "the instance in tracefs cannot be used");
	durations->self = instance__leave_out_self(instance);
	if (with_tasks)
		err = task_events__open(&durations->tasks, why, size);
	if (!err)
		err = start_tracer(durations, with_args, why, size);
	if (err)
		return err;
	/* not before: while they are open the kernel lets nobody change the tracer (EBUSY) */
	err = stream__open(&durations->stream, instance->path);
	if (!err) {
		durations->on_fd = instance__open(instance, "tracing_on", O_WRONLY);
		err = durations->on_fd < 0 ? durations->on_fd : 0;
	}
	if (!err)
		err = top__settle(instance);
	return err ? switches__explain(err, why, size, "the ring buffers in tracefs cannot be opened") : 0;
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
	free(durations->open);
	free(durations->args);
	durations->open = NULL;
	durations->args = NULL;
	durations->room = durations->used = 0;
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

static size_t home_of(const struct durations *durations, uint32_t task, uint32_t depth)
{
	return (size_t)(((uint64_t)task << 32 | depth) * 0x9e3779b97f4a7c15ull >> 32) & (durations->room - 1);
}

/* The place of a task's call at that depth, where it is or would be. */
static struct open_call *find(const struct durations *durations, uint32_t task, uint32_t depth)
{
	size_t at = home_of(durations, task, depth);

	while (durations->open[at].function && (durations->open[at].task != task || durations->open[at].depth != depth))
		at = (at + 1) & (durations->room - 1);
	return &durations->open[at];
}

/* The call of one place is at another one now; the places may be of two tables. */
static void move(struct durations *to, struct open_call *at, const struct durations *from, const struct open_call *call)
{
	*at = *call;
	if (call->has_args)
		memcpy(to->args[at - to->open], from->args[call - from->open], sizeof(*to->args));
}

static int grow(struct durations *durations)
{
	struct durations larger = { .room = durations->room * 2 };

	larger.open = calloc(larger.room, sizeof(*larger.open));
	larger.args = durations->args ? calloc(larger.room, sizeof(*larger.args)) : NULL;
	if (!larger.open || (durations->args && !larger.args)) {
		free(larger.open);
		free(larger.args);
		return -ENOMEM;
	}
	for (size_t i = 0; i < durations->room; i++) {
		const struct open_call *call = &durations->open[i];

		if (call->function)
			move(&larger, find(&larger, call->task, call->depth), durations, call);
	}
	free(durations->open);
	free(durations->args);
	durations->open = larger.open;
	durations->args = larger.args;
	durations->room = larger.room;
	return 0;
}

/* A call begins: what was open at its depth had returned, and so had all that is deeper. */
static int begin(struct durations *durations, uint32_t task, const struct graph_record *record)
{
	struct open_call *call = find(durations, task, record->depth);

	if (call->function) {
		durations->no_return++;
	} else if (durations->used * 2 >= durations->room) {
		int err = grow(durations);

		if (err)
			return err;
		call = find(durations, task, record->depth);
	}
	durations->used += !call->function;
	*call = (struct open_call){
		task, record->depth, record->function, durations->losses, false, durations->args && record->args_count,
	};
	if (call->has_args)
		memcpy(durations->args[call - durations->open], record->args, sizeof(*durations->args));
	durations->begun = call;
	return 0;
}

/* A free place in between would hide what lies behind it: it is moved. */
static void take_out(struct durations *durations, struct open_call *call)
{
	size_t mask = durations->room - 1, hole = (size_t)(call - durations->open), at = hole;

	durations->used--;
	for (;;) {
		const struct open_call *next;
		size_t home;

		at = (at + 1) & mask;
		next = &durations->open[at];
		if (!next->function)
			break;
		home = home_of(durations, next->task, next->depth);
		/* it may be anywhere from its home on: is the hole there? */
		if (((at - home) & mask) < ((at - hole) & mask))
			continue;
		move(durations, &durations->open[hole], durations, next);
		hole = at;
	}
	durations->open[hole].function = 0;
}

/* A call returns: its arguments, or NULL. */
static const uint64_t *end(struct durations *durations, uint32_t task, const struct graph_record *record)
{
	struct open_call *call = find(durations, task, record->depth);

	durations->returned++;
	if (call->function == record->function) {
		bool has_args = call->has_args;

		if (has_args)
			memcpy(durations->ended_args, durations->args[call - durations->open], sizeof(durations->ended_args));
		take_out(durations, call);
		return has_args ? durations->ended_args : NULL;
	}
	durations->no_begin++;
	if (call->function) {
		durations->no_return++;
		take_out(durations, call);
	}
	return NULL;
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
	if (!graph_record__decode(&durations->layout, &next.record, &record) || (durations->self && record.tid == (uint32_t)durations->self))
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
	duration->args = end(durations, task, &record);
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
	*doubtful = *sure = 0;
	for (size_t i = 0; i < durations->room; i++) {
		const struct open_call *call = &durations->open[i];

		if (call->function && call->losses != durations->losses)
			++*doubtful;
		else if (call->function && !call->disowned)
			++*sure;
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
