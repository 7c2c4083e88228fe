/* SPDX-License-Identifier: BSD-2-Clause */
#include "pump.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "counting.h"
#include "ended.h"

#define REPORT_MS 1000		/* at least, between two reports of losses */

static void end_source(struct pump *pump)
{
	if (pump->has_ended)
		return;
	pump->has_ended = true;
	if (pump->tool->counting)
		counting__end(pump->tool, pump->source);
	pump->source->end(pump->source->ctx);
	watch__look_now(&pump->watch, pump->tool);
}

static void tell_losses(struct pump *pump)
{
	const struct source *source = pump->source;
	struct pollfd to = { .fd = STDERR_FILENO, .events = POLLOUT };
	int64_t now = loop__now_ms();
	struct losses losses = { 0 };

	if (!source->lost || now - pump->reported_ms < REPORT_MS || now - pump->asked_ms < source->lost_ms)
		return;
	pump->asked_ms = now;
	if (source->lost(source->ctx, &losses))
		return;
	/* a stderr that nobody reads must not hold this up: later */
	if (losses.all <= pump->reported.all || !poll(&to, 1, 0))
		return;
	pump->reported_ms = now;
	/* it may be an estimate that becomes smaller (lib/ftrace/call_pairs.h) */
	losses.all = count__rise(&pump->reported.all, losses.all);
	losses.no_room = count__rise(&pump->reported.no_room, losses.no_room);
	if (losses.no_room)
		tool__tell_no_room(pump->tool, losses.no_room);
	if (losses.all > losses.no_room)
		say("lost %llu events: the reader is too slow (%s)",
		    (unsigned long long)count__minus(losses.all, losses.no_room), source->hint);
}

/* Also what is dropped or lost takes time: where more comes than the machine may be slowed down by, the run ends.  tool->err. */
static int look_at_rate(struct pump *pump)
{
	const struct source *source = pump->source;
	struct losses losses = { 0 };

	if (source->seen && !pump->has_ended && rate_limit__is_due(&pump->rate_limit, pump->tool) &&
	    (!source->lost || !source->lost(source->ctx, &losses)))
		rate_limit__check(&pump->rate_limit, pump->tool, source->seen(source->ctx) + losses.all);
	return pump->tool->err;
}

/* While a write to the output blocks: the recording ends on time all the same, and where too much comes. */
static void on_blocked(void *ctx)
{
	struct pump *pump = ctx;
	bool is_over = loop__is_time_over(&pump->loop);

	/* in one file with the rows, part of a row may be written: the message would stand in its middle */
	if (!sink__is_same_file(&pump->tool->out.sink, STDERR_FILENO)) {
		tell_losses(pump);
		is_over = is_over || look_at_rate(pump);
	}
	if (is_over)
		end_source(pump);
}

static bool is_over(const struct pump *pump)
{
	return pump->tool->err || pump->has_ended || loop__is_over(&pump->loop) || pump->source->is_enough(pump->source->ctx);
}

/* 0, or the source's error, which is then reported. */
static int read_batch(struct pump *pump)
{
	const struct source *source = pump->source;
	int err;

	if (source->is_slow)
		batch__begin_slow(&pump->batch, BATCH_RECORDS, BATCH_MS);
	else
		batch__begin(&pump->batch, BATCH_RECORDS, BATCH_MS);
	if (pump->tool->counting)
		counting__enter(pump->tool);
	err = source->read(source->ctx, &pump->batch);
	if (pump->tool->counting)
		counting__leave(pump->tool);
	out__flush(&pump->tool->out);
	if (err)
		tool__fail(pump->tool, err, "%s cannot be read: %s", source->what, strerror(-err));
	return err;
}

void pump__init(struct pump *pump, struct tool *tool, struct source *source)
{
	*pump = (struct pump){
		.tool = tool, .source = source, .loop = { .out = &tool->out, .process_fd = tool->command.process_fd },
		.watch = { .is_intact = source->is_intact, .ctx = source->ctx },
	};
	tool->out.sink.on_blocked = on_blocked;
	tool->out.sink.on_blocked_ctx = pump;
	rate_limit__start(&pump->rate_limit);
}

int pump__start(struct pump *pump, struct tool *tool, struct source *source, unsigned int kept)
{
	pump__init(pump, tool, source);
	if (tool__begin_rows(tool, &pump->loop, kept))
		return tool->err;
	say__started();
	/* whoever sees the header finds the file */
	if (tool->metrics)
		counting__begin_metrics(tool);
	if (tool->counting)
		counting__header(tool);
	else if (!tool->options.is_quiet)
		out__header(&tool->out);
	tool__print_start(tool);
	out__flush(&tool->out);
	rate_limit__start(&pump->rate_limit);
	if (tool->counting)
		counting__start(tool, source);
	return 0;
}

static bool is_due(const struct source *source)
{
	return source->due_ms && loop__now_ms() >= source->due_ms;
}

/* Whether that was the last one. */
static bool end_interval(struct pump *pump)
{
	struct source *source = pump->source;

	if (!pump->tool->counting)
		return source->on_due(source->ctx);
	/* what the interval still has in the ring buffer */
	return read_batch(pump) || counting__on_due(pump->tool, source);
}

static int64_t sleep_ms(const struct source *source)
{
	int64_t until_due_ms = source->due_ms ? source->due_ms - loop__now_ms() : INT64_MAX;
	int64_t look_ms = source->look_ms < ended__look_ms() ? source->look_ms : ended__look_ms();

	return until_due_ms < look_ms ? until_due_ms : look_ms;
}

int pump__run(struct pump *pump)
{
	const struct source *source = pump->source;
	int err = 0;

	while (!err && !is_over(pump)) {
		if (is_due(source) && end_interval(pump))
			break;
		err = read_batch(pump);
		tell_losses(pump);
		look_at_rate(pump);
		watch__look(&pump->watch, pump->tool);
		ended__tell();
		if (pump->tool->look_around)
			pump->tool->look_around(pump->tool);
		if (!pump->batch.is_over && !is_over(pump))
			loop__sleep(&pump->loop, source->wake_fd, sleep_ms(source));
	}
	end_source(pump);
	while (!err && !(err = read_batch(pump)) && pump->batch.count)
		;
	ended__tell();
	return pump->tool->err;
}
