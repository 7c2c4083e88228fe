/* SPDX-License-Identifier: BSD-2-Clause */
#include "latencies.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernel/clock.h"
#include "lib/loop/batch.h"
#include "lib/print/hist_add.h"
#include "lib/run/tally.h"
#include "lib/run/task_filter.h"

#define BUFFER_KB 4096		/* for each CPU; --buffer changes it */
#define FUNCTIONS_FIRST 256

static int open_durations(struct latencies *latencies, bool with_tasks, bool with_args)
{
	struct tool *tool = latencies->tool;
	struct fault fault;
	int err;

	if (with_tasks && tool->options.filter.pidns_ino)
		return tool__fail(tool, -EOPNOTSUPP, "--engine ftrace: records have the tasks' numbers of the initial pid namespace, and this is "
				  "another one");
	err = durations__open(&latencies->durations, &latencies->traced->instance,
			      tool->options.ring_size ? tool->options.ring_size / 1024 : BUFFER_KB,
			      with_tasks, with_args, tool->options.filter.tids, tool->options.filter.tids_count, &fault);
	return err ? tool__fail(tool, err, "--engine ftrace: %s", fault.text) : 0;
}

/* ---- counting */

static void free_table(struct table *table)
{
	free(table->keys);
	free(table->values);
	table->keys = table->values = NULL;
	table->count = 0;
}

/* Room for twice as many functions. */
static int grow(struct latencies *latencies)
{
	struct table *table = &latencies->table_now;
	uint32_t room = table->keys_max ? 2 * table->keys_max : FUNCTIONS_FIRST;
	char *keys, *values;

	keys = realloc(table->keys, room * sizeof(uint64_t));
	if (keys)
		table->keys = keys;
	values = realloc(table->values, room * sizeof(struct hist_rough));
	if (values)
		table->values = values;
	if (!keys || !values)
		return -ENOMEM;
	table->keys_max = room;
	table->key_size = sizeof(uint64_t);
	table->value_size = sizeof(struct hist_rough);
	return 0;
}

/* Counts a call of a function. */
static int count_by_function(struct latencies *latencies, const struct duration *duration)
{
	struct table *table = &latencies->table_now;
	size_t *place = hash__get(&latencies->places, duration->function);

	if (!place)
		return -ENOMEM;
	if (!*place) {
		int err = table->count == table->keys_max ? grow(latencies) : 0;

		if (err)
			return err;
		memcpy(table->keys + table->count * table->key_size, &duration->function, table->key_size);
		memset(table->values + table->count * table->value_size, 0, table->value_size);
		*place = ++table->count;
	}
	hist_rough__add((struct hist_rough *)(table->values + (*place - 1) * table->value_size), latencies->tool->shape, duration->ns);
	return 0;
}

/* Who called. */
static void set_task(struct stream_event *event, const struct duration *duration)
{
	event->cpu = duration->cpu;
	stream_event__set_task(event, duration->time_ns, duration->pid, duration->tid, duration->comm);
}

/* Whether the call's task is wanted, and not the tool itself; *filtered: it is another one. */
static bool is_wanted(const struct latencies *latencies, const struct duration *duration, bool *filtered)
{
	const struct task_filter *filter = &latencies->tool->options.filter;
	struct stream_event event;

	*filtered = false;
	if (!filter->active)
		return true;
	set_task(&event, duration);
	*filtered = event.task.pid != filter->self && !task_filter__passes(filter, &event.task);
	return event.task.pid != filter->self && !*filtered;
}

static int take(struct latencies *latencies, const struct duration *duration, bool is_return)
{
	bool filtered, wanted = is_wanted(latencies, duration, &filtered);

	if (!is_return) {
		if (!wanted)
			durations__disown(&latencies->durations);
		return 0;
	}
	latencies->filtered += filtered;
	if (!wanted)
		return 0;
	if (latencies->by_function)
		return count_by_function(latencies, duration);
	hist__add(&latencies->times_now, latencies->tool->shape, duration->ns);
	return 0;
}

/* Up to a time, or a batch of them: who writes faster than this reads would never let it come to an end. */
static int read_until(struct latencies *latencies, uint64_t until_ns, struct batch *batch)
{
	struct duration duration = { .time_ns = 0 };
	bool is_return;
	int more = 1, err = 0;

	while (!err && duration.time_ns < until_ns && !(batch && batch__is_over(batch)) &&
	       (more = durations__next(&latencies->durations, &duration, &is_return)) > 0) {
		err = take(latencies, &duration, is_return);
		if (batch)
			batch__add(batch, 1);
	}
	return more < 0 ? more : err;
}

static int counter_start(void *ctx)
{
	struct latencies *latencies = ctx;

	return durations__start(&latencies->durations);
}

static int counter_read(void *ctx, struct batch *batch)
{
	return read_until(ctx, now_ns(), batch);
}

static void counter_cut(void *ctx)
{
	struct latencies *latencies = ctx;
	struct table shown = latencies->table;

	if (!latencies->durations.stopped)
		counter_read(ctx, NULL);
	latencies->times = latencies->times_now;
	memset(&latencies->times_now, 0, sizeof(latencies->times_now));
	latencies->table = latencies->table_now;
	free_table(&shown);
	latencies->table_now = (struct table){ .count = 0 };
	hash__free(&latencies->places);
}

static int counter_stop(void *ctx)
{
	struct latencies *latencies = ctx;
	int err = durations__stop(&latencies->durations), failed = read_until(latencies, UINT64_MAX, NULL);

	return err ? err : failed;
}

static void counter_tally(void *ctx, struct tally *tally)
{
	struct latencies *latencies = ctx;
	uint64_t lost;

	tally->lost = durations__lost(&latencies->durations, &lost) ? count__unknown("the instance's statistics cannot be read") :
		count__exact(lost);
	tally->missed = count__exact(latencies->durations.missed);
	tally->filtered = count__exact(latencies->filtered);
	/* of -t the kernel records these threads alone */
	if (latencies->tool->options.filter.tids_count)
		tally->filtered = count__at_least(latencies->filtered, NULL);
	tally->in_flight = durations__under_way(&latencies->durations);
	tally->never_returned = latencies->durations.never_returned;
}

static int is_intact(void *ctx, struct fault *fault)
{
	struct latencies *latencies = ctx;

	return intact__check(&latencies->durations.intact, fault);
}

static uint64_t counter_seen(void *ctx)
{
	const struct latencies *latencies = ctx;
	uint64_t lost = 0;

	durations__lost(&latencies->durations, &lost);
	return latencies->durations.returned + lost;
}

int latencies__open(struct latencies *latencies, struct tool *tool, struct traced *traced, bool by_function)
{
	latencies->tool = tool;
	latencies->traced = traced;
	latencies->by_function = by_function;
	latencies->places.value_size = sizeof(size_t);
	latencies->counter = (struct counter){
		.ctx = latencies, .period_ms = 20, .start = counter_start, .read = counter_read, .cut = counter_cut,
		.stop = counter_stop, .tally = counter_tally, .seen = counter_seen, .is_intact = is_intact,
	};
	tool->counter = &latencies->counter;
	tool->attach_probes = NULL;
	tool->attach = NULL;
	return open_durations(latencies, tool->options.filter.active, false);
}

void latencies__close(struct latencies *latencies)
{
	int err = durations__close(&latencies->durations);

	if (err)
		say("an instance in tracefs cannot be removed now (the next start removes it): %s", strerror(-err));
	free_table(&latencies->table);
	free_table(&latencies->table_now);
	hash__free(&latencies->places);
}

/* ---- rows */

static int rows_start(void *ctx, struct tool *tool)
{
	struct latencies *latencies = ctx;
	int err;

	if (open_durations(latencies, true, true))
		return tool->err;
	err = durations__start(&latencies->durations);
	return err ? tool__fail(tool, err, "--engine ftrace: recording cannot be switched on: %s", strerror(-err)) : 0;
}

static int rows_next(void *ctx, struct stream_event *event)
{
	struct latencies *latencies = ctx;
	struct duration *last = &latencies->last;
	bool is_return;
	int more = durations__next(&latencies->durations, last, &is_return);

	if (more <= 0)
		return more;
	event->cpu = last->cpu;
	event->lost_some = last->lost_some;
	/* what is lost are records, of which a call has two: how many calls these were nobody knows here */
	event->is_none = !is_return || last->ns < latencies->slower_ns;
	if (!event->is_none)
		set_task(event, last);
	return 1;
}

static int rows_print(void *ctx, struct tool *tool, const struct stream_event *event)
{
	struct latencies *latencies = ctx;

	latencies->print(tool, event, &latencies->last);
	return 0;
}

static void rows_end(void *ctx)
{
	struct latencies *latencies = ctx;

	durations__stop(&latencies->durations);
}

static int rows_lost(void *ctx, uint64_t *lost)
{
	const struct latencies *latencies = ctx;
	int err = durations__lost(&latencies->durations, lost);

	/* on the stack of return addresses there was no room for them */
	if (!err)
		*lost += latencies->durations.missed;
	return err;
}

static int rows_close(void *ctx)
{
	struct latencies *latencies = ctx;

	return durations__close(&latencies->durations);
}

int latencies__run_rows(struct latencies *latencies, struct tool *tool, struct traced *traced)
{
	static const struct kernel_stream_ops ops = {
		.start = rows_start, .next = rows_next, .print = rows_print, .end = rows_end, .lost = rows_lost, .close = rows_close,
		.is_intact = is_intact,
	};
	struct kernel_stream stream = { .ops = &ops, .ctx = latencies, .label = "--engine ftrace", .filters = tool->options.filter.tids_count };

	latencies->tool = tool;
	latencies->traced = traced;
	tool->attach = NULL;
	return kernel_stream__run(&stream, tool);
}
