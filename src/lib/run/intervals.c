/* SPDX-License-Identifier: BSD-2-Clause */
#include "intervals.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "missed_calls.h"
#include "lib/kernel/clock.h"
#include "lib/kernel/kernel.h"
#include "lib/loop/loop.h"
#include "lib/print/screen.h"
#include "lib/probe/links.h"
#include "metrics.h"
#include "output_file.h"
#include "privileges.h"
#include "pump.h"
#include "tally.h"
#include "task_keys.h"
#include "tool_command.h"

#define DAY_MS (24 * 3600 * 1000)

struct run {
	struct tool *tool;
	tool_print_interval print;
	struct source source;
	struct pump pump;
	struct cells cells;
	struct table table;
	struct event_stats *stats;
	struct tally now, reported;		/* of the whole run; what intervals have reported of it */
	uint64_t number;
	uint64_t begin_ns;		/* of the interval that is being counted */
	uint64_t over_ns;		/* when the counting was ended, or 0 */
	bool is_whole;			/* the last interval was over by then */
	bool hooks_off;			/* function hooks were switched off then */
	bool on_screen;			/* --refresh, on a terminal */
};

static const struct out_column no_columns[] = { { NULL, 0, NULL, NULL } };

/* What was counted, lost, filtered and missed since the total was last reported. */
static struct tally tally_since(struct run *run, uint64_t counted)
{
	struct tally since;

	tally__read(&run->now, run->stats);
	/* for the last interval it was read when the programs were still attached */
	if (!run->over_ns)
		missed_calls__count(&run->now, run->stats, run->tool->skeleton, false);
	run->now.in_flight = run->tool->about->begun_word ? cells__under_way(&run->cells, run->tool->about->begun_word - 1) :
		tally__in_flight(run->stats);
	run->now.never_returned = missed_calls__never_returned(*run->tool->skeleton->obj);
	if (run->tool->counter)
		run->tool->counter->tally(run->tool->counter->ctx, &run->now);
	if (run->hooks_off)
		count__doubt(&run->now.missed, TALLY_HOOKS_OFF);
	if (run->tool->missed_doubt)
		count__doubt(&run->now.missed, run->tool->missed_doubt);
	watch__tally(&run->pump.watch, &run->now);
	since = tally__since(&run->reported, &run->now);
	since.delivered = counted;
	run->now.delivered += counted;
	return since;
}

static uint64_t print_for_metrics(void *ctx, struct tool *tool, const struct interval *interval)
{
	const struct run *run = ctx;

	return run->print(tool, interval);
}

/* Adds the interval to the metrics, and prints it.  Returns the number of events. */
static uint64_t report(struct run *run, const struct interval *interval)
{
	struct tool *tool = run->tool;
	uint64_t counted = 0;

	if (tool->add_interval)
		tool->add_interval(tool, interval);
	if (tool->metrics)
		counted = metrics__take(tool, interval, print_for_metrics, run);
	if (tool->options.is_quiet)
		return counted;
	interval__heading(tool, interval, run->on_screen);
	counted = run->print(tool, interval);
	if (!counted && !tool->out.json && !tool->bare)
		out__line(&tool->out, "nothing", 7);
	return counted;
}

/* Ends the interval and prints it. */
static void cut(struct run *run, bool partial)
{
	struct tool *tool = run->tool;
	struct interval interval = {
		.number = ++run->number, .begin_ns = run->begin_ns, .end_ns = run->over_ns ? run->over_ns : now_ns(),
		.partial = partial, .table = &run->table,
	};
	const struct counter *counter = tool->counter;
	/* the last time stop() has done it */
	int err = counter && counter->settle && !run->over_ns ? counter->settle(counter->ctx) : 0;
	struct tally tally;
	uint64_t counted;

	if (!err && run->table.slot_fd >= 0)
		err = table__cut(&run->table, run->over_ns != 0);
	if (!err && run->table.slot_fd >= 0)
		err = task_keys__fold(&run->table);
	if (err)
		tool__fail(tool, err, "the table of counts cannot be read: %s", strerror(-err));
	cells__cut(&run->cells);
	if (counter)
		counter->cut(counter->ctx);
	watch__look_now(&run->pump.watch, tool);
	run->begin_ns = interval.end_ns;
	heat_report__begin_interval(tool, &interval);
	interval.cells = run->cells.difference;
	interval.sums = cells__sums(&run->cells);
	counted = report(run, &interval);
	tally = tally_since(run, counted);
	if (tally.no_room)
		tool__tell_no_room(tool, tally.no_room);
	if (tool->out.json && !tool->options.is_quiet)
		interval__accounting(tool, &interval, &tally);
	out__flush(&tool->out);
	if (tool->metrics)
		metrics__write(tool, &run->now, run->over_ns);
}

/* Ends the counting; what was counted is still to be printed. */
static void stop(void *ctx)
{
	struct run *run = ctx;
	const struct counter *counter = run->tool->counter;
	int err;

	run->is_whole = run->source.due_ms && loop__now_ms() >= run->source.due_ms;
	tally__close(run->stats);
	run->over_ns = now_ns();
	err = counter ? counter->stop(counter->ctx) : 0;
	if (err)
		tool__fail(run->tool, err, "what was counted last cannot be read: %s", strerror(-err));
	run->hooks_off = tool__prepare_detach(run->tool);
	missed_calls__count(&run->now, run->stats, run->tool->skeleton, true);
	if (run->tool->detach_own)
		run->tool->detach_own(run->tool);
	links__detach(run->tool->skeleton);
	/*
	 * Programs may still be running on other CPUs when their link is gone.  This is synchronize_rcu(), which waits for them
	 * (kernel/sched/membarrier.c); it is refused on kernels booted with nohz_full, where the detaching has to do.
	 */
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

/* Maps what the programs count in, and prepares the output.  tool->err. */
static int open_run(struct run *run)
{
	struct tool *tool = run->tool;
	const struct bpf_object *object = *tool->skeleton->obj;
	int err;

	run->stats = tally__map(object);
	err = run->stats ? cells__open(&run->cells, object) : -ENOENT;
	if (!err)
		err = table__open(&run->table, object);
	if (err)
		return tool__fail(tool, err, "the counts cannot be mapped: %s", strerror(-err));
	/* attaching takes a while: what comes before the first interval begins is no event */
	tally__close(run->stats);
	err = output_file__begin(&tool->out.sink);
	if (err)
		return tool->err = err;
	tool->out.columns = tool->columns ? tool->columns : no_columns;
	tool->out.record = "row";
	tool->out.tool = tool->about->name;
	tool->out.sink.should_stop = loop__is_stopping;
	run->on_screen = tool->options.refreshes && screen__is_there(&tool->out);
	err = out__open(&tool->out);
	return err ? tool__fail(tool, err, "no memory for the output") : 0;
}

/* An interval in which nothing was counted has the series that are known before anything is: their first event is then a rise from 0. */
static void begin_metrics(struct run *run)
{
	const struct tally nothing = { .counts = true, .missed = count__unknown(NULL) };
	const struct interval empty = {
		.begin_ns = run->begin_ns, .end_ns = run->begin_ns, .table = &run->table, .cells = run->cells.difference,
		.sums = cells__sums(&run->cells),
	};

	metrics__begin(run->tool);
	metrics__take(run->tool, &empty, print_for_metrics, run);
	metrics__write(run->tool, &nothing, false);
}

static void print_ready(struct tool *tool)
{
	say__started();
	if (tool->options.is_quiet)
		return;
	if (tool->bare)
		say("%s", tool->ready);
	else if (tool->columns)
		out__header(&tool->out);
	else if (!tool->out.json)
		out__line(&tool->out, tool->ready, strlen(tool->ready));
	tool__print_start(tool);
	out__flush(&tool->out);
}

/* Also what the filters dropped, for that takes time too. */
static uint64_t seen_by_programs(const struct run *run)
{
	const struct tool *tool = run->tool;
	struct tally tally;

	tally__read(&tally, run->stats);
	return tally.filtered.value + cells__sum(&run->cells, tool->rate_word, tool->rate_words ?: run->cells.class_words);
}

static uint64_t count_seen(void *ctx)
{
	const struct run *run = ctx;
	const struct counter *counter = run->tool->counter;

	return counter && counter->seen ? counter->seen(counter->ctx) : seen_by_programs(run);
}

static int read_counter(void *ctx, struct batch *batch)
{
	const struct run *run = ctx;
	const struct counter *counter = run->tool->counter;

	/* stop() has read the rest */
	return counter && !run->over_ns ? counter->read(counter->ctx, batch) : 0;
}

static bool is_enough(void *ctx)
{
	const struct run *run = ctx;

	return run->tool->out.error;
}

static int is_intact(void *ctx, struct fault *fault)
{
	const struct run *run = ctx;
	const struct counter *counter = run->tool->counter;

	return counter && counter->is_intact ? counter->is_intact(counter->ctx, fault) : 0;
}

/*
 * Cuts an interval at each deadline.  The deadlines are multiples of the interval from the start, so that 60 intervals of a second
 * are a minute; one that has passed while an interval was printed is left out.  The last interval is cut when the counting has ended.
 */
static bool on_due(void *ctx)
{
	struct run *run = ctx;
	int64_t interval_ms = (int64_t)(run->tool->options.interval_ns / 1000000);

	if (run->number + 1 == run->tool->options.intervals_max)
		return true;
	run->source.due_ms += interval_ms;
	cut(run, false);
	while (run->source.due_ms <= loop__now_ms())
		run->source.due_ms += interval_ms;
	return false;
}

static void init_pump(struct run *run)
{
	struct tool *tool = run->tool;

	run->source = (struct source){
		.ctx = run, .what = "the counts", .wake_fd = -1,
		.look_ms = tool->counter ? tool->counter->period_ms : tool->options.rate_max ? RATE_LIMIT_PERIOD_MS : DAY_MS,
		.read = read_counter, .end = stop, .is_enough = is_enough, .on_due = on_due,
		.seen = tool->options.rate_max ? count_seen : NULL,
		.is_intact = is_intact,
	};
	pump__init(&run->pump, tool, &run->source);
}

/* All is open: counts until something ends it.  tool->err. */
static int count(struct run *run)
{
	struct tool *tool = run->tool;
	const struct counter *counter = tool->counter;
	int err = counter ? counter->start(counter->ctx) : 0;

	if (err)
		return tool__fail(tool, err, "the counting cannot begin: %s", strerror(-err));
	tally__open(run->stats);
	run->begin_ns = now_ns();
	rate_limit__start(&run->pump.rate_limit);
	if (tool_command__start(tool)) {
		stop(run);
		return tool->err;
	}
	if (tool->options.duration_ns)
		run->pump.loop.deadline_ms = loop__now_ms() + (int64_t)(tool->options.duration_ns / 1000000);
	/* whoever sees that it is ready finds the file */
	if (tool->metrics)
		begin_metrics(run);
	print_ready(tool);
	if (tool->options.interval_ns)
		run->source.due_ms = loop__now_ms() + (int64_t)(tool->options.interval_ns / 1000000);
	run->source.wake_fd = counter && counter->wake_fd ? counter->wake_fd(counter->ctx) : -1;
	pump__run(&run->pump);
	cut(run, tool->options.interval_ns && !run->is_whole);
	heat_report__end(tool);
	if (tool->before_summary)
		tool->before_summary(tool);
	tool__print_summary(tool, &run->now);
	return tool->err;
}

int tool__run_intervals(struct tool *tool, void *skel, tool_print_interval print)
{
	struct run run = { .tool = tool, .print = print, .table = TABLE_NONE };
	int err;

	if (tool->err || (!tool->skeleton && !tool__opened(tool, skel)))
		return tool->err;
	init_pump(&run);
	if (tool->shape) {
		tool__set_shape(tool);
		snprintf(interval_total_name, sizeof(interval_total_name), "TOTAL_%s", hist_shape__unit(tool->shape));
	}
	run.cells.by_cpu = tool->by_cpu;
	err = cells__prepare(&run.cells, *tool->skeleton->obj);
	if (!err)
		err = table__prepare(&run.table, *tool->skeleton->obj, tool->options.keys_max, tool->about->keys_on_demand,
				     tool->options.interval_ns != 0);
	if (err) {
		tool__fail_maps(tool, err);
		goto out;
	}
	if (tool__load(tool) || open_run(&run))
		goto out;
	if (tool->attach_probes)
		tool->attach_probes(tool);
	if (tool__attach(tool) || heat_report__open(tool))
		goto out;
	run.now.counts = true;
	if (tool->metrics && metrics__open(tool))
		goto out;
	loop__start_tick();
	err = privileges__drop(((run.table.slot_fd >= 0 || tool->reads_maps) && kernel__version() < kernel_version(5, 19, 0) ?
				PRIVILEGES_BPF : 0) |
			       (tool->reads_processes ? PRIVILEGES_PROCESSES : 0) |
			       (task_keys__are_cgroups() ? PRIVILEGES_CGROUPS : 0) |
			       (tool->counter ? PRIVILEGES_TRACEFS : 0) | tool->keeps);
	if (err) {
		tool__fail(tool, err, "capabilities cannot be dropped: %s", strerror(-err));
		goto out;
	}
	count(&run);
out:
	if (tool->err && !run.over_ns)
		tool__prepare_detach(tool);
	cells__close(&run.cells);
	table__close(&run.table);
	return tool->err;
}
