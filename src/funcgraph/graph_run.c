/* SPDX-License-Identifier: BSD-2-Clause */
#include "graph_run.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/run/task_filter.h"

#define BUFFER_KB 2048		/* for each CPU */
/* Between two looks at the buffers. */
#define LOOK_MS 20
/* Records between two looks at signals, the clock and the output. */
#define BATCH 4096
#define ROOTS_OF_MODULES 32

/*
 * Roots as set_graph_function takes them: it does not know modules.  So a pattern stands there as it is only where no module is meant, else the names of
 * the functions that it means.  NULL and tool->err.
 */
static const char **list_roots(struct tool *tool, const struct traced *traced, size_t roots_count)
{
	const struct functions *functions = &traced->functions;
	const char **roots = calloc(roots_count + ROOTS_OF_MODULES + 1, sizeof(*roots));
	size_t count = 0, of_modules = 0;

	for (size_t i = 0; roots && i < roots_count; i++) {
		const char *pattern = traced->patterns[i];

		if (!traced->module && !strchr(pattern, ':')) {
			roots[count++] = pattern;
			continue;
		}
		for (size_t j = 0; j < functions->count; j++)
			if (function_pattern__means(pattern, traced->module, functions->list[j].name, functions->list[j].module) &&
			    ++of_modules <= ROOTS_OF_MODULES)
				roots[count++] = functions->list[j].name;
	}
	if (!roots)
		tool__fail(tool, -ENOMEM, "no memory for the names of functions");
	else if (of_modules > ROOTS_OF_MODULES)
		tool__fail(tool, -E2BIG, "%zu functions of modules are ROOTs, and each is a walk through all functions for the kernel (name %d at most)",
			   of_modules, ROOTS_OF_MODULES);
	return roots;
}

int graph_run__open(struct graph_run *run, size_t roots_count, bool args, uint32_t calls)
{
	struct tool *tool = run->tool;
	struct graph_wants wants = { .args = args, .calls = calls };
	const char **roots = roots_count ? list_roots(tool, run->traced, roots_count) : NULL;
	uint32_t *tids = task_filter__threads(&tool->filter, &wants.tids_count, &wants.new_threads);
	char why[768], kb[16];
	int err;

	snprintf(kb, sizeof(kb), "%u\n", tool->ring_size ? tool->ring_size / 1024 : BUFFER_KB);
	err = instance__write(&run->traced->instance, "buffer_size_kb", kb);
	if (err)
		tool__fail(tool, err, "ring buffers of %.*s KB for each CPU cannot be made: %s", (int)strcspn(kb, "\n"), kb, strerror(-err));
	wants.roots = roots;
	wants.tids = tids;
	if (!tool->err) {
		err = graph__open(run->graph, &run->traced->instance, &wants, run->take, tool, why, sizeof(why));
		if (err)
			tool__fail(tool, err, "%s", why);
		else if (args && !run->graph->has_args)
			say("-a: this kernel's function_graph does not record arguments (funcgraph-args, since 6.15)");
	}
	free(roots);
	free(tids);
	return tool->err;
}

bool graph_run__is_enough(const struct graph_run *run)
{
	return run->tool->out.error || (run->tool->events_max && run->calls >= run->tool->events_max);
}

static void end_recording(struct graph_run *run)
{
	if (!run->ended)
		graph__end(run->graph);
	run->ended = true;
}

/* Told at once, at most once a second. */
static void tell_losses(struct graph_run *run)
{
	struct pollfd to = { .fd = STDERR_FILENO, .events = POLLOUT };
	int64_t now = loop__now_ms();
	uint64_t lost;

	/* a stderr that nobody reads must not hold this up: later */
	if (now - run->lost_told_ms < 1000 || graph__lost(run->graph, &lost) || !poll(&to, 1, 0))
		return;
	run->lost_told_ms = now;
	lost = count__rise(&run->lost_told, lost);
	if (lost)
		say("lost %llu events: the reader is too slow (fewer functions, -D, or a larger --buffer)", (unsigned long long)lost);
}

/* While a write to the output blocks: the recording ends on time all the same, and losses are told. */
static void on_blocked(void *ctx)
{
	struct graph_run *run = ctx;

	if (loop__is_past_deadline(&run->loop))
		end_recording(run);
	if (!sink__is_same_file(&run->tool->out.sink, STDERR_FILENO))
		tell_losses(run);
}

static bool is_over(const struct graph_run *run)
{
	return loop__is_over(&run->loop) || graph_run__is_enough(run);
}

/* tool->err */
static int start_output(struct graph_run *run)
{
	struct tool *tool = run->tool;
	int err;

	tool->out.sink.on_blocked = on_blocked;
	tool->out.sink.on_blocked_ctx = run;
	if (tool__begin_rows(tool, &run->loop))
		return tool->err;
	err = graph__start(run->graph);
	if (err)
		return tool__fail(tool, err, "the recording cannot be switched on: %s", strerror(-err));
	out__header(&tool->out);
	tool__print_start(tool);
	out__flush(&tool->out);
	brake__start(&run->brake);
	return 0;
}

static void print_summary(struct graph_run *run)
{
	struct tool *tool = run->tool;
	struct tally *tally = &run->tally;

	if (graph__lost(run->graph, &tally->lost.value))
		tool__fail(tool, -EIO, "what was lost cannot be read");
	tally->no_room = run->graph->no_room;
	tally->missed = count__exact(run->graph->missed);
	/* calls of other tasks are the kernel's to drop then */
	if (tool->filter.pids_count || tool->filter.tids_count)
		tally->filtered = count__at_least(tally->filtered.value, NULL);
	tally->delivered = run->calls < tool->out.rows_written ? run->calls : tool->out.rows_written;
	tally->unread += count__minus(run->calls, tally->delivered);
	if (run->graph->no_room)
		tool__tell_no_room(tool, run->graph->no_room);
	if (!tool->err && !run->calls && !tally->lost.value && !tally->filtered.value && !tally->unread)
		say("no ROOT was called while it ran");
	tool__print_summary(tool, tally);
}

static void look_at_rate(struct graph_run *run)
{
	struct tool *tool = run->tool;
	uint64_t lost;

	if (brake__is_due(&run->brake, tool) && !graph__lost(run->graph, &lost))
		brake__check(&run->brake, tool, run->graph->records / 2 + lost);
}

void graph_run__run(struct graph_run *run)
{
	struct tool *tool = run->tool;
	int count = 0;

	run->loop.out = &tool->out;
	if (start_output(run))
		return;
	while (!is_over(run) && count >= 0 && !tool->err) {
		count = graph__read(run->graph, BATCH);
		out__flush(&tool->out);
		tell_losses(run);
		look_at_rate(run);
		if (count < BATCH && count >= 0 && !is_over(run) && !tool->err)
			loop__sleep(&run->loop, -1, LOOK_MS);
	}
	end_recording(run);
	while (count >= 0 && (count = graph__read(run->graph, BATCH)) > 0)
		out__flush(&tool->out);
	if (count < 0)
		tool__fail(tool, count, "the ring buffers cannot be read: %s", strerror(-count));
	graph__finish(run->graph);
	out__flush(&tool->out);
	print_summary(run);
}
