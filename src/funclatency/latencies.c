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
	char why[512];
	int err;

	if (with_tasks && tool->filter.pidns_ino)
		return tool__fail(tool, -EOPNOTSUPP, "--engine ftrace: records tell the tasks' numbers in the initial pid namespace, and this is "
				  "another one");
	err = durations__open(&latencies->durations, &latencies->traced->instance, tool->ring_size ? tool->ring_size / 1024 : BUFFER_KB,
			      with_tasks, with_args, tool->filter.tids, tool->filter.tids_count, why, sizeof(why));
	return err ? tool__fail(tool, err, "--engine ftrace: %s", why) : 0;
}

/* ---- counting */

static size_t place_of(const struct latencies *latencies, uint64_t address)
{
	const struct table *table = &latencies->table_now;
	size_t mask = 2 * table->keys_max - 1, at = (size_t)(address * 0x9e3779b97f4a7c15ull >> 32) & mask;

	while (latencies->places[at] && *(const uint64_t *)table__key(table, latencies->places[at] - 1) != address)
		at = (at + 1) & mask;
	return at;
}

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
	size_t *places;

	keys = realloc(table->keys, room * sizeof(uint64_t));
	if (keys)
		table->keys = keys;
	values = realloc(table->values, room * sizeof(struct hist_rough));
	if (values)
		table->values = values;
	places = calloc(2 * (size_t)room, sizeof(*places));
	if (!keys || !values || !places) {
		free(places);
		return -ENOMEM;
	}
	free(latencies->places);
	latencies->places = places;
	table->keys_max = room;
	table->key_size = sizeof(uint64_t);
	table->value_size = sizeof(struct hist_rough);
	for (size_t i = 0; i < table->count; i++)
		places[place_of(latencies, *(const uint64_t *)table__key(table, i))] = i + 1;
	return 0;
}

/* Counts a call of a function. */
static int count_by_function(struct latencies *latencies, const struct duration *duration)
{
	struct table *table = &latencies->table_now;
	size_t at;

	if (table->count == table->keys_max) {
		int err = grow(latencies);

		if (err)
			return err;
	}
	at = place_of(latencies, duration->function);
	if (!latencies->places[at]) {
		memcpy(table->keys + table->count * table->key_size, &duration->function, table->key_size);
		memset(table->values + table->count * table->value_size, 0, table->value_size);
		latencies->places[at] = ++table->count;
	}
	hist_rough__add((struct hist_rough *)(table->values + (latencies->places[at] - 1) * table->value_size), latencies->tool->shape,
			duration->ns);
	return 0;
}

/* Who called. */
static void set_task(struct recorded_event *event, const struct duration *duration)
{
	event->cpu = duration->cpu;
	recorded_event__set_task(event, duration->time_ns, duration->pid, duration->tid, duration->comm);
}

/* Whether the call's task is wanted, and not the tool itself; *filtered: it is another one. */
static bool is_wanted(const struct latencies *latencies, const struct duration *duration, bool *filtered)
{
	const struct task_filter *filter = &latencies->tool->filter;
	struct recorded_event event;

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
	free(latencies->places);
	latencies->places = NULL;
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
	if (latencies->tool->filter.tids_count)
		tally->filtered = count__at_least(latencies->filtered, NULL);
	tally->in_flight = durations__under_way(&latencies->durations);
}

static int is_intact(void *ctx, char *why, size_t size)
{
	struct latencies *latencies = ctx;

	return intact__check(&latencies->durations.intact, why, size);
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
	latencies->counter = (struct counter){
		.ctx = latencies, .period_ms = 20, .start = counter_start, .read = counter_read, .cut = counter_cut,
		.stop = counter_stop, .tally = counter_tally, .seen = counter_seen, .is_intact = is_intact,
	};
	tool->counter = &latencies->counter;
	tool->attach_probes = NULL;
	tool->attach = NULL;
	return open_durations(latencies, tool->filter.active, false);
}

void latencies__close(struct latencies *latencies)
{
	int err = durations__close(&latencies->durations);

	if (err)
		say("an instance in tracefs cannot be removed now (the next start removes it): %s", strerror(-err));
	free_table(&latencies->table);
	free_table(&latencies->table_now);
	free(latencies->places);
	latencies->places = NULL;
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

static int rows_next(void *ctx, struct recorded_event *event)
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

static int rows_print(void *ctx, struct tool *tool, const struct recorded_event *event)
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
	static const struct recorded_ops ops = {
		.start = rows_start, .next = rows_next, .print = rows_print, .end = rows_end, .lost = rows_lost, .close = rows_close,
		.is_intact = is_intact,
	};
	struct recorded recorded = { .ops = &ops, .ctx = latencies, .label = "--engine ftrace", .filters = tool->filter.tids_count };

	latencies->tool = tool;
	latencies->traced = traced;
	tool->attach = NULL;
	return recorded__run(&recorded, tool);
}
