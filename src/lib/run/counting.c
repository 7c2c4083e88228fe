/* SPDX-License-Identifier: BSD-2-Clause */
#include "counting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "intervals.h"
#include "lib/kernel/clock.h"
#include "lib/loop/loop.h"
#include "lib/print/hist_add.h"
#include "lib/print/screen.h"
#include "metrics.h"
#include "pump.h"
#include "recording.h"

uint64_t tool__rows_done(const struct tool *tool)
{
	if (tool->recording && !tool->recording->has_rows)
		return tool->recording->written;
	return tool->counting ? tool->counting->rows.rows_written : tool->out.rows_written;
}

/* ---- rows that come */

/* The value of the column of --hist, and a row without it; 0, or -ERANGE: there is no number that a histogram has; or an error. */
static int take_out_value(struct counting *counting, const char **row, size_t *size, uint64_t *value)
{
	const char *at = *row, *end = at + *size, *key = counting->hist_column.key;
	struct taken_member member;
	size_t before, behind;
	int err;

	do
		if (!taken__next_member(&at, end, &member))
			return -EPROTO;
	while (member.key.size != strlen(key) || memcmp(member.key.bytes, key, member.key.size));
	err = taken__number(&member.value, counting->hist_scale, value);
	if (err == -EINVAL)
		return tool__fail(counting->tool, err, "--hist %s: %.*s is no number (--count counts texts)", counting->hist_name,
				  member.value.size < 200 ? (int)member.value.size : 200, member.value.bytes);
	if (err || counting->hist_is_key || !counting->names_count)
		return err ? -ERANGE : 0;
	if (counting->scratch_size < *size) {
		char *larger = realloc(counting->scratch, *size);

		if (!larger)
			return -ENOMEM;
		counting->scratch = larger;
		counting->scratch_size = *size;
	}
	before = (size_t)(member.all.bytes - *row);
	behind = *size - before - member.all.size;
	memcpy(counting->scratch, *row, before);
	memcpy(counting->scratch + before, member.all.bytes + member.all.size, behind);
	*row = counting->scratch;
	*size = before + behind;
	return 0;
}

/* A row of the tool's. */
static void take(void *ctx, const char *row, size_t size)
{
	struct counting *counting = ctx;
	struct row_count *count;
	uint64_t value = 0;
	/* after a failure the run ends, and what is left is not wanted */
	int err = counting->tool->err ? counting->tool->err : counting->hist_name ? take_out_value(counting, &row, &size, &value) : 0;

	/* as anysnoop has it: what is below 0, or no number, is in no bucket */
	if (err == -ERANGE) {
		counting->refused += counting->weight;
		return;
	}
	if (err) {
		if (!counting->tool->err)
			tool__fail(counting->tool, err, "--hist: a row cannot be counted: %s", strerror(-err));
		counting->failed += counting->weight;
		return;
	}
	if (!counting->names_count) {
		hist__add(&counting->hist, &counting->shape, value);
		return;
	}
	count = row_counts__at(&counting->counts, row, size);
	count->count += counting->weight;
	if (count->hist)
		hist_rough__add(count->hist, &counting->shape, value);
}

int counting__open(struct tool *tool)
{
	static const struct out_column no_columns[] = { { NULL, 0, NULL, NULL } };
	struct counting *counting = tool->counting;
	size_t columns = 0;
	bool *wanted;

	while (tool->columns[columns].name)
		columns++;
	wanted = calloc(columns + 1, sizeof(*wanted));
	counting->weight = 1;
	counting->rows = tool->out;
	counting->rows.json = counting->rows_are_json;
	if (!wanted || out__open(&counting->rows)) {
		free(wanted);
		return -ENOMEM;
	}
	for (size_t i = 0; i < counting->names_count; i++)
		wanted[counting->columns[i].index] = true;
	if (counting->hist_name)
		wanted[counting->hist_column.index] = true;
	out__take_rows(&counting->rows, wanted, take, counting);
	free(wanted);
	tool->columns = counting->hist_name ? NULL : counting->table;
	tool->out.columns = tool->columns ? tool->columns : no_columns;
	tool->out.record = "row";
	/* what was asked for is shown on every terminal */
	tool->out.spare = NULL;
	counting->on_screen = tool->options.refreshes && screen__is_there(&tool->out);
	/* a command of the user's is started next */
	counting->begin_ns = now_ns();
	return 0;
}

void counting__start(struct tool *tool, struct source *source)
{
	source->due_ms = tool->options.interval_ns ? loop__now_ms() + (int64_t)(tool->options.interval_ns / 1000000) : 0;
}

void counting__begin_metrics(struct tool *tool)
{
	const struct tally nothing = { .counts = true, .missed = count__unknown(NULL) };

	metrics__begin(tool);
	metrics__write(tool, &nothing, false);
}

void counting__header(struct tool *tool)
{
	static const char ready[] = "Counting events. Ctrl-C ends it.";

	if (tool->options.is_quiet)
		return;
	if (tool->columns)
		out__header(&tool->out);
	else if (!tool->out.json)
		out__line(&tool->out, ready, sizeof(ready) - 1);
}

static void exchange(struct tool *tool)
{
	struct out other = tool->counting->rows;

	tool->counting->rows = tool->out;
	tool->out = other;
}

void counting__enter(struct tool *tool)
{
	exchange(tool);
}

void counting__leave(struct tool *tool)
{
	const char *error;

	exchange(tool);
	error = out__error(&tool->counting->rows);
	if (error && !tool->err)
		tool__fail(tool, tool->counting->rows.error, "%s", error);
}

/* ---- intervals */

/* Of the whole run, as one of counts. */
static struct tally as_counts(const struct counting *counting, const struct tally *tally)
{
	struct tally to = *tally;

	to.counts = true;
	to.delivered = count__minus(counting->rows.rows_written + counting->rows_more, counting->refused + counting->failed);
	to.unread += counting->failed;
	count__add(&to.filtered, counting->refused);
	return to;
}

static uint64_t print_for_metrics(void *ctx, struct tool *tool, const struct interval *interval)
{
	(void)tool;
	return counting__print(ctx, interval);
}

/* Adds the interval to the metrics, and prints it.  Returns how many rows were counted. */
static uint64_t report(struct counting *counting, const struct interval *interval)
{
	struct tool *tool = counting->tool;
	uint64_t counted = 0;

	if (tool->metrics)
		counted = metrics__take(tool, interval, print_for_metrics, counting);
	if (tool->options.is_quiet)
		return counted;
	interval__heading(tool, interval, counting->on_screen);
	counted = counting__print(counting, interval);
	if (!counted && !tool->out.json)
		out__line(&tool->out, "nothing", 7);
	return counted;
}

/* total: of the whole run. */
static void cut(struct counting *counting, const struct tally *total, bool partial)
{
	struct tool *tool = counting->tool;
	struct interval interval = {
		.number = ++counting->number, .begin_ns = counting->begin_ns, .end_ns = counting->over_ns ? counting->over_ns : now_ns(),
		.partial = partial,
	};
	struct tally now = *total, since;
	uint64_t counted;

	counting->begin_ns = interval.end_ns;
	counted = report(counting, &interval);
	counting__forget(counting);
	since = tally__since(&counting->reported, &now);
	since.delivered = counted;
	since.unread = 0;
	if (tool->out.json && !tool->options.is_quiet)
		interval__accounting(tool, &interval, &since);
	out__flush(&tool->out);
	if (tool->metrics)
		metrics__write(tool, &now, counting->over_ns);
}

/* What a source cannot tell while it runs is reported at the end. */
static struct tally tally_now(const struct counting *counting, const struct source *source)
{
	struct tally tally = { .counts = true };
	struct losses losses = { 0 };

	if (source->tally) {
		source->tally(source->ctx, &tally);
	} else {
		tally.missed = tally.filtered = count__unknown("known at the end");
		if (source->lost && !source->lost(source->ctx, &losses))
			tally.lost = count__exact(losses.all);
	}
	return as_counts(counting, &tally);
}

bool counting__on_due(struct tool *tool, struct source *source)
{
	struct counting *counting = tool->counting;
	int64_t interval_ms = (int64_t)(tool->options.interval_ns / 1000000);
	struct tally now;

	if (counting->number + 1 == tool->options.intervals_max)
		return true;
	source->due_ms += interval_ms;
	if (counting->kernel.is_used)
		counting_kernel__take(tool, false);
	now = tally_now(counting, source);
	cut(counting, &now, false);
	/* multiples of the interval from the start; one that has passed while it was printed is left out */
	while (source->due_ms <= loop__now_ms())
		source->due_ms += interval_ms;
	return false;
}

void counting__end(struct tool *tool, const struct source *source)
{
	tool->counting->is_whole = source->due_ms && loop__now_ms() >= source->due_ms;
	tool->counting->over_ns = now_ns();
}

void counting__finish(struct tool *tool, const struct tally *tally, struct tally *to)
{
	struct counting *counting = tool->counting;

	if (counting->kernel.is_used)
		counting_kernel__take(tool, true);
	*to = as_counts(counting, tally);
	cut(counting, to, tool->options.interval_ns && !counting->is_whole);
	to->lost_reported = counting->reported.lost.value;
	to->missed_reported = counting->reported.missed.value;
}

void counting__free(struct tool *tool)
{
	if (!tool->counting)
		return;
	counting_kernel__free(&tool->counting->kernel);
	row_counts__clear(&tool->counting->counts);
	out__free(&tool->counting->rows);
	free(tool->counting->scratch);
	tool->counting->scratch = NULL;
}
