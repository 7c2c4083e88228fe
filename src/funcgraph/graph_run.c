/* SPDX-License-Identifier: BSD-2-Clause */
#include "graph_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ftrace/exclusions.h"
#include "lib/run/counting.h"
#include "lib/run/privileges.h"
#include "lib/run/task_filter.h"

#define BUFFER_KB 2048		/* for each CPU */
/* Between two looks at the buffers. */
#define LOOK_MS 20
#define LOST_MS 500		/* a file for each CPU */
#define ROOTS_OF_MODULES 32

/*
 * Roots as set_graph_function takes them: it does not know modules.  So a pattern stands there as it is only where no module
 * is meant, else the names of the functions that it means.  NULL and tool->err.
 */
static const char **list_roots(struct tool *tool, const struct traced *traced, size_t roots_count)
{
	const struct functions *functions = &traced->functions;
	const char **roots = calloc(roots_count + ROOTS_OF_MODULES + 1, sizeof(*roots));
	size_t count = 0, of_modules = 0;

	for (size_t i = 0; roots && i < roots_count; i++) {
		const char *pattern = traced->patterns[i];

		if (exclusion__is(pattern))
			continue;
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

int graph_run__open(struct graph_run *run, size_t roots_count, bool args, bool cpu_time, uint32_t calls)
{
	struct tool *tool = run->tool;
	struct graph_wants wants = { .args = args, .cpu_time = cpu_time, .calls = calls };
	const char **roots = roots_count ? list_roots(tool, run->traced, roots_count) : NULL;
	uint32_t *tids = task_filter__threads(&tool->options.filter, &wants.tids_count, &wants.new_threads);
	struct fault fault;
	char kb[16];
	int err;

	snprintf(kb, sizeof(kb), "%u\n", tool->options.ring_size ? tool->options.ring_size / 1024 : BUFFER_KB);
	err = instance__write(&run->traced->instance, "buffer_size_kb", kb);
	if (err)
		tool__fail(tool, err, "ring buffers of %.*s KB for each CPU cannot be made: %s", (int)strcspn(kb, "\n"), kb,
			   strerror(-err));
	wants.roots = roots;
	wants.tids = tids;
	if (!tool->err) {
		err = graph__open(run->graph, &run->traced->instance, &wants, run->take, tool, &fault);
		if (err)
			tool__fail(tool, err, "%s", fault.text);
		else if (args && !run->graph->has_args)
			say("-a: this kernel's function_graph does not record arguments (funcgraph-args, since 6.15)");
	}
	free(roots);
	free(tids);
	return tool->err;
}

bool graph_run__is_enough(const struct graph_run *run)
{
	return run->tool->out.error || (run->tool->options.events_max && run->trees >= run->tool->options.events_max);
}

static bool is_enough(void *ctx)
{
	return graph_run__is_enough(ctx);
}

static int read_calls(void *ctx, struct batch *batch)
{
	struct graph_run *run = ctx;
	int count = graph__read(run->graph, (int)batch->records_max);

	if (count < 0)
		return count;
	batch__add(batch, (uint32_t)count);
	batch__is_over(batch);
	return 0;
}

static void end(void *ctx)
{
	const struct graph_run *run = ctx;

	graph__end(run->graph);
}

static int count_lost(void *ctx, struct losses *losses)
{
	const struct graph_run *run = ctx;

	losses->no_room = run->graph->no_room;
	return graph__lost(run->graph, &losses->all);
}

/* A call has two records. */
static uint64_t count_seen(void *ctx)
{
	const struct graph_run *run = ctx;

	return run->graph->records / 2;
}

static int is_intact(void *ctx, struct fault *fault)
{
	const struct graph_run *run = ctx;

	return intact__check(&run->graph->intact, fault);
}

static void print_summary(struct graph_run *run)
{
	struct tool *tool = run->tool;
	struct tally *tally = &run->tally;

	if (graph__lost(run->graph, &tally->lost.value))
		tool__fail(tool, -EIO, "what was lost cannot be read");
	tally->no_room = run->graph->no_room;
	tally->missed = count__exact(run->graph->missed);
	watch__tally(&run->pump.watch, tally);
	/* calls of other tasks are the kernel's to drop then */
	if (tool->options.filter.pids_count || tool->options.filter.tids_count)
		tally->filtered = count__at_least(tally->filtered.value, NULL);
	tally->delivered = run->calls < tool__rows_done(tool) ? run->calls : tool__rows_done(tool);
	tally->unread += count__minus(run->calls, tally->delivered);
	if (run->graph->no_room)
		tool__tell_no_room(tool, run->graph->no_room);
	if (!tool->err && !out__error(&tool->out) && !run->calls && !tally->lost.value && !tally->filtered.value && !tally->unread)
		say("no ROOT was called while it ran");
	tool__print_summary(tool, tally);
}

void graph_run__run(struct graph_run *run)
{
	struct tool *tool = run->tool;
	int err = graph__start(run->graph);

	run->source = (struct source){
		.ctx = run, .what = "the ring buffers", .hint = "fewer functions, -D, or a larger --buffer",
		.wake_fd = -1, .look_ms = LOOK_MS,
		.read = read_calls, .end = end, .is_enough = is_enough, .lost = count_lost, .lost_ms = LOST_MS, .seen = count_seen,
		.is_intact = is_intact,
	};
	if (err) {
		tool__fail(tool, err, "the recording cannot be switched on: %s", strerror(-err));
		return;
	}
	if (pump__start(&run->pump, tool, &run->source, PRIVILEGES_TRACEFS))
		return;
	pump__run(&run->pump);
	if (tool->counting)
		counting__enter(tool);
	graph__finish(run->graph);
	if (tool->counting)
		counting__leave(tool);
	out__flush(&tool->out);
	print_summary(run);
}
