/* SPDX-License-Identifier: BSD-2-Clause */
#include "graph.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/kernel/run_folder.h"
#include "lib/kernel/switches.h"
#include "lib/kernel/tracefs.h"
#include "lib/print/count.h"
#include "lib/probe/attached.h"
#include "top_level.h"
#include "tracer.h"

#define TRACER "function_graph"

bool graph__is_there(const struct instance *instance)
{
	return tracer__exists(instance, TRACER);
}

/* 0, or -errno with a line in fault where somebody else traces with it: the roots would be theirs, too. */
static int check_others(struct fault *fault)
{
	static const char *const tracers[] = { TRACER, NULL };
	char user[300];

	if (!tracer__find_user(tracers, user, sizeof(user)))
		return 0;
	return fault__set(fault, -EBUSY,
			  "function_graph is in use by %s, and its set_graph_function is one for the whole system", user);
}

static int append_root(const struct graph *graph, const char *text)
{
	return top_level__is(graph->instance) ? instance__append(graph->instance, "set_graph_function", text) :
					     lease__append(&graph->lease, "set_graph_function", text);
}

/*
 * Roots; a plain name that the compiler has changed has a suffix (.isra.0).  One that means none was told by the match: the others are
 * traced.
 */
static int write_roots(struct graph *graph, const char *const *roots, struct fault *fault)
{
	const char *const *first = roots;
	size_t written = 0;
	char text[512];
	int err = 0;

	for (; *roots; roots++) {
		snprintf(text, sizeof(text), "%.500s\n", *roots);
		err = append_root(graph, text);
		if (err == -EINVAL && !strpbrk(*roots, "*?[]")) {
			snprintf(text, sizeof(text), "%.500s.*\n", *roots);
			err = append_root(graph, text);
		}
		if (err && err != -EINVAL)
			return fault__set(fault, err, "set_graph_function does not take '%s': %s", *roots, strerror(-err));
		written += !err;
	}
	if (written)
		return 0;
	return fault__set(fault, err ?: -ENOENT, *first ? "no ROOT is a function that can be traced" : "no ROOT is there");
}

static bool switch_option(const struct instance *instance, const char *option, bool on)
{
	char file[64];

	snprintf(file, sizeof(file), "options/%s", option);
	return !instance__write(instance, file, on ? "1\n" : "0\n");
}

/* Only these tasks, or all but this one: reading makes calls that would be read. */
static int write_tids(const struct instance *instance, const struct graph_wants *wants)
{
	if (!wants->tids_count) {
		instance__leave_out_self(instance);
		return 0;
	}
	switch_option(instance, "function-fork", wants->new_threads);
	return instance__only_tids(instance, wants->tids, wants->tids_count);
}

static int start_tracer(struct graph *graph, const struct graph_wants *wants, struct fault *fault)
{
	const struct instance *instance = graph->instance;
	int err = instance__write(instance, "tracing_on", "0\n");

	if (!err)
		err = write_tids(instance, wants);
	if (err)
		return switches__explain(fault, err, "the instance in tracefs cannot be used");
	err = instance__start_tracer(instance, TRACER, top_level__is(instance) ? TOP_STARTS :
				     "the kernel's function_graph cannot be started", fault);
	if (err)
		return err;
	attached__note(NULL, "tracer", TRACER);
	graph->has_args = wants->args && graph->layout.entry.args && switch_option(instance, "funcgraph-args", true);
	return 0;
}

int graph__open(struct graph *graph, const struct instance *instance, const struct graph_wants *wants,
		void (*take)(void *ctx, const struct call_tree *tree), void *ctx, struct fault *fault)
{
	int err;

	*graph = (struct graph){ .instance = instance, .on_fd = -1 };
	err = graph_layout__read(&graph->layout);
	if (err)
		return switches__explain(fault, err, "events/ftrace/funcgraph_entry/format in tracefs cannot be read (CONFIG_FUNCTION_GRAPH_TRACER)");
	err = check_others(fault);
	/* the top is a lease already */
	if (!err && !top_level__is(instance))
		err = lease__take(&graph->lease, run_folder__path(), lease_graph_files, fault);
	if (!err && wants->roots)
		err = write_roots(graph, wants->roots, fault);
	if (!err)
		err = start_tracer(graph, wants, fault);
	if (!err)
		task_free__watch(&graph->task_free, instance);
	if (!err)
		err = task_events__open(&graph->tasks, fault);
	if (!err && wants->cpu_time)
		err = off_cpu__open(&graph->off_cpu, fault);
	if (err)
		return err;
	err = call_trees__open(&graph->trees, wants->calls, graph->has_args, wants->cpu_time);
	if (err)
		return switches__explain(fault, err, "room for calls");
	graph->trees.take = take;
	graph->trees.ctx = ctx;
	/* not before: while they are open the kernel lets nobody change the tracer (EBUSY) */
	err = stream__open(&graph->stream, instance->path);
	if (!err) {
		graph->on_fd = instance__open(instance, "tracing_on", O_WRONLY);
		err = graph->on_fd < 0 ? graph->on_fd : 0;
	}
	if (!err)
		err = top_level__settle(instance);
	return err ? switches__explain(fault, err, "the ring buffers in tracefs cannot be opened") : 0;
}

int graph__start(struct graph *graph)
{
	if (write(graph->on_fd, "1", 1) != 1)
		return -errno;
	intact__begin(&graph->intact, graph->instance, &graph->stream);
	return intact__add_tracer(&graph->intact) ?: intact__add_graph(&graph->intact);
}

/*
 * The kernel counts for each task the calls that found no room on its stack, since it has one; the record of the call that returns next
 * tells.  A task that is seen first begins with what its record says.
 */
static inline void note_overrun(struct graph *graph, const struct graph_record *record)
{
	uint32_t key = record->tid ? record->tid : (record->cpu + 1) | 1u << 31;
	size_t at = key * 0x9e3779b1u % (sizeof(graph->overruns) / sizeof(*graph->overruns));

	if (graph->overruns[at].key == key)
		graph->missed += graph_record__overrun_rise(graph->overruns[at].overrun, record->overrun);
	graph->overruns[at].key = key;
	graph->overruns[at].overrun = record->overrun;
}

/* Adds the entry that is held back, if one is, as before the record that was read last.  0 or -ENOMEM. */
static int add_held(struct graph *graph, const struct graph_record **held)
{
	const struct graph_record *entry = *held;
	uint64_t now_ns = graph->now_ns;
	int err;

	if (!entry)
		return 0;
	*held = NULL;
	graph->now_ns = entry->time_ns;
	err = call_trees__add_entry(&graph->trees, entry);
	graph->now_ns = now_ns;
	return err;
}

/* Records were lost before the one that was read last: its call will tell. */
static __attribute__((noinline)) int note_loss(struct graph *graph, uint64_t lost, const struct graph_record **held)
{
	int err = add_held(graph, held);

	graph->lost_some = graph->pending_lost = true;
	graph->pending += lost;
	graph->trees.losses++;
	return err;
}

/* A record that is no call's: it may tell that a task is gone, and its calls with it.  0 or -ENOMEM. */
static __attribute__((noinline)) int take_other(struct graph *graph, const struct page_record *record, const struct graph_record **held)
{
	uint32_t tid;
	int err;

	if (!task_free__is(&graph->task_free, record, &tid))
		return 0;
	err = add_held(graph, held);
	if (!err)
		call_trees__end_task(&graph->trees, tid, UINT32_MAX);
	return err;
}

/* Reads records up to the next one of a call, and counts them.  1, 0 where there is none for now, or -errno. */
static inline int next_record(struct graph *graph, struct graph_record *record, const struct graph_record **held, int *count, int most)
{
	struct stream_record next;
	int more;

	for (; *count < most; ++*count) {
		more = stream__next(&graph->stream, &next);
		if (more <= 0)
			return more;
		graph->now_ns = next.record.time;
		if (next.lost_some && (more = note_loss(graph, next.lost, held)))
			return more;
		if (!graph_record__decode(&graph->layout, &next.record, record)) {
			more = take_other(graph, &next.record, held);
			if (more)
				return more;
			continue;
		}
		if (!intact__knows(&graph->intact, record->function, next.record.time))
			continue;
		record->cpu = (uint32_t)next.cpu;
		record->lost_some = graph->pending_lost;
		record->lost = graph->pending;
		if (graph->pending_lost) {
			graph->pending_lost = false;
			graph->pending = 0;
		}
		if (graph->off_cpu.is_open) {
			record->off_ns = off_cpu__until(&graph->off_cpu, record->tid, record->cpu, record->time_ns);
			record->off_losses = graph->off_cpu.losses;
		}
		graph->records++;
		++*count;
		return 1;
	}
	return 0;
}

int graph__read(struct graph *graph, int most)
{
	struct graph_record records[2], *record = &records[0];
	const struct graph_record *held = NULL;
	int count = 0, more, err = 0;
	uint64_t limit_ns;

	/*
	 * The tasks of younger records are not known yet, and to look for each of them would be a read(2) for each tree
	 * (1,000 instructions): on one CPU for nearly all of them, as the reader has soon caught up with what is recorded.
	 */
	limit_ns = task_events__look(&graph->tasks);
	if (graph->off_cpu.is_open) {
		uint64_t known_ns = off_cpu__look(&graph->off_cpu);

		limit_ns = known_ns < limit_ns ? known_ns : limit_ns;
	}
	stream__set_limit(&graph->stream, limit_ns);
	/* an entry is held back until the next record tells whether the call calls anything */
	while (!err && (more = next_record(graph, record, &held, &count, most)) > 0) {
		if (record->kind == GRAPH_ENTRY) {
			err = add_held(graph, &held);
			held = record;
			record = record == records ? record + 1 : records;
			continue;
		}
		note_overrun(graph, record);
		if (held && call_trees__is_leaf(held, record)) {
			err = call_trees__add_leaf(&graph->trees, held, record);
			held = NULL;
		} else if (!(err = add_held(graph, &held))) {
			err = call_trees__add_exit(&graph->trees, record);
		}
	}
	if (!err)
		err = add_held(graph, &held);
	return err ? err : more < 0 ? more : count;
}

void graph__end(struct graph *graph)
{
	intact__finish(&graph->intact);
	if (write(graph->on_fd, "0", 1) != 1)
		instance__write(graph->instance, "tracing_on", "0\n");
	/* a record that another CPU was writing is finished after this (synchronize_rcu(); not on kernels booted with nohz_full) */
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	stream__end(&graph->stream);
	graph->ended = !stream__stats(&graph->stream, &graph->stats);
	/* no function is hooked any more, also where nobody takes the rows for now; it clears the statistics */
	if (graph->ended && !stream__keep_rest(&graph->stream))
		instance__stop_tracer(graph->instance);
	off_cpu__end(&graph->off_cpu);
	task_events__end(&graph->tasks);
	stream__keep_rest(&graph->tasks.stream);
}

void graph__finish(struct graph *graph)
{
	call_trees__end(&graph->trees);
}

int graph__lost(const struct graph *graph, uint64_t *lost)
{
	struct stream_stats stats = graph->stats;
	int err = graph->ended ? 0 : stream__stats(&graph->stream, &stats);

	if (err)
		return err;
	/* a call has two records; of some one is there.  One whose begin was refused has none, and the kernel makes none when it returns */
	*lost = graph->no_room + stats.refused + graph->stream.broken;
	*lost += (count__minus(stats.overrun, graph->trees.halves) + 1) / 2;
	return 0;
}

int graph__release(struct graph *graph)
{
	int err, tasks_err, off_err;

	/* in a zeroed one 0 would be a file to close */
	if (!graph->instance)
		return 0;
	stream__close(&graph->stream);
	intact__end(&graph->intact);
	if (graph->on_fd >= 0)
		close(graph->on_fd);
	graph->on_fd = -1;
	err = lease__give_back(&graph->lease);
	tasks_err = task_events__close(&graph->tasks);
	off_err = off_cpu__close(&graph->off_cpu);
	return err ?: tasks_err ?: off_err;
}

void graph__close(struct graph *graph)
{
	if (!graph->instance)
		return;
	graph__release(graph);
	call_trees__close(&graph->trees);
}
