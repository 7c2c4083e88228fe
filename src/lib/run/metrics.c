/* SPDX-License-Identifier: BSD-2-Clause */
#include "metrics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "counting.h"
#include "foreign_options.h"
#include "gone_series.h"
#include "intervals.h"
#include "lib/print/clock.h"
#include "metric_sums.h"
#include "metric_totals.h"
#include "privileges.h"
#include "replaced_file.h"
#include "task_keys.h"
#include "tool.h"

#define INTERVAL_NS 15000000000ull	/* as often as Prometheus' users scrape */
#define SERIES 100
#define TEXT_MAX (64u << 20)

/* A process is one tool. */
static struct metrics {
	struct replaced_file file;
	bool to_stdout, removes;
	const char *run;
	uint32_t series;
	struct metric_totals totals;
	struct text_buffer text;	/* keeps its memory from one interval to the next */
	struct out rows;		/* takes the rows; tool->out while an interval is taken */
	bool is_taking, is_late, is_refused;
	uint64_t start_ns;		/* CLOCK_REALTIME */
} metrics = { .series = SERIES, .text = { .size_max = TEXT_MAX }, .file = { .directory = -1, .fd = -1 } };

/* ---- the command line */

void metrics__set_path(struct tool *tool, const char *path)
{
	tool->metrics = &metrics;
	metrics.to_stdout = !strcmp(path, "-");
	metrics.file = (struct replaced_file)REPLACED_FILE("--metrics", path);
}

void metrics__set_run(struct tool *tool, const char *name)
{
	(void)tool;
	metrics.run = name;
}

void metrics__set_series(struct tool *tool, uint32_t series)
{
	(void)tool;
	metrics.series = series;
}

void metrics__remove(struct tool *tool)
{
	(void)tool;
	metrics.removes = true;
}

bool metrics__are_of(const struct tool *tool)
{
	return tool->about->metrics;
}

static bool ends_with(const char *key, size_t size, const char *end)
{
	size_t length = strlen(end);

	return size >= length && !memcmp(key + size - length, end, length);
}

bool metrics__is_label(const char *key, size_t size)
{
	static const char *const whole[] = {
		"pid", "tid", "ppid", "ptid", "tpid", "ttid", "tgid", "pidns", "addr", "skaddr", "file", "filename",
		"address", "saddr", "daddr", "laddr", "raddr", "sport", "dport", "lport",
		"rport", "port", "id", "ino", "inode", "offset", "sector", "path", "old", "new", "target", "args", "stack", "ustack", "text",
		"fd", "seq", "key", "time",
	};
	static const char *const ends[] = {
		"_pid", "_tid", "_path", "_addr", "_address", "_port", "_id", "_ino", "_hex", "_more", "_ns", "_ms", "_at_least",
	};

	/* a container's is gone from the text when the container is (gone_series.h) */
	if (size == strlen("container_id") && !memcmp(key, "container_id", size))
		return true;
	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++)
		if (size == strlen(whole[i]) && !memcmp(key, whole[i], size))
			return false;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (ends_with(key, size, ends[i]))
			return false;
	return true;
}

void metrics__check_label(const char *name, const char *key)
{
	if (!metrics__is_label(key, strlen(key)))
		usage_error("--metrics: --by \"%s\": a metric by %s never ends (--by comm, error, cgroup_name or the like)", name, key);
}

static void check_columns(const struct counting *counting)
{
	if (counting->hist_name)
		usage_error("--metrics: counts rows: --by COLUMN,... without --hist");
	for (size_t i = 0; i < counting->numbers_count; i++)
		if (counting->numbers[i].is_average)
			usage_error("--metrics: --avg: an average is no total (--sum; the sum's rate through that of the rows is the average)");
	for (size_t i = 0; i < counting->names_count; i++)
		metrics__check_label(counting->names[i], counting->columns[i].key);
}

static bool has_kind(const struct metric *metric, enum metric_kind kind)
{
	for (; metric->name; metric++)
		if (metric->kind == kind)
			return true;
	return false;
}

static void refuse_without_metrics(const struct tool *tool)
{
	const char *option = tool->options.is_quiet ? "-q" : metrics.run ? "--run" : metrics.removes ? "--metrics-remove" :
			     metrics.series != SERIES ? "--series" : NULL;
	/* bcc's -q is another wish */
	const char *instead = option ? foreign_options__instead(tool->about->foreign_options, option) : NULL;

	if (option)
		usage_error("%s: for --metrics FILE%s%s", option, instead ? ": " : "", instead ? instead : "");
}

static void check_others(const struct tool *tool)
{
	const char *path = metrics.file.path;

	if (tool->options.refreshes)
		usage_error("--refresh: does not go with --metrics");
	if (tool->shape && tool->shape->linear_count)
		usage_error("--linear: does not go with --metrics, whose bounds are the same in all runs");
	if (tool->options.unit_is_asked)
		usage_error("-N and -m: do not go with --metrics, whose times are in seconds");
	if (metrics.to_stdout && (tool->out.json || tool->options.output))
		usage_error("--metrics -: %s does not go with it", tool->out.json ? "-j" : "-o");
	if (!metrics.to_stdout && (strlen(path) < 6 || !ends_with(path, strlen(path), ".prom")))
		usage_error("--metrics \"%s\": a collector reads files whose names end with .prom", path);
	if (metrics.run && !*metrics.run)
		usage_error("--run: a name is missing");
}

void metrics__check(struct tool *tool)
{
	if (!tool->metrics) {
		refuse_without_metrics(tool);
		return;
	}
	check_others(tool);
	if (!tool->counts && !tool->counting)
		usage_error("--metrics: %s prints lines, which it counts with --by COLUMN,... (--by comm)", tool->about->name);
	if (tool->counting) {
		check_columns(tool->counting);
		if (tool->counting->numbers_count)
			tool->metric_names = metric_sums__make(tool->metric_names, tool->counting);
	}
	if (!tool->counting && !tool->columns && !tool->metric_columns && !has_kind(tool->metric_names, METRIC_HIST))
		usage_error("--metrics: counts by values: --count without --hist");
	if (metrics.to_stdout)
		tool->options.is_quiet = true;
	if (!tool->options.interval_ns && tool->options.duration_ns < INTERVAL_NS && tool->options.duration_ns)
		tool->options.interval_ns = tool->options.duration_ns;
	else if (!tool->options.interval_ns)
		tool->options.interval_ns = INTERVAL_NS;
}

/* ---- the run */

static void take_row(void *ctx, const char *row, size_t size)
{
	struct tool *tool = ctx;
	int err = metric_totals__add_row(&metrics.totals, row, size);

	if (err && !tool->err)
		tool__fail(tool, err, "--metrics: a row cannot be added up: %s", strerror(-err));
}

int metrics__open(struct tool *tool)
{
	int err = 0;

	if (!metrics.to_stdout) {
		err = replaced_file__open(&metrics.file);
		if (err)
			return tool->err = err;
		privileges__allow_files_in(metrics.file.directory);
	}
	err = metric_totals__open(&metrics.totals, tool->metric_names, tool->about->name, metrics.run, metrics.series);
	return err ? tool__fail(tool, err, "no memory for metrics") : 0;
}

/* What takes the rows has JSON of all columns. */
static int open_rows(struct tool *tool)
{
	size_t columns = 0;
	bool *wanted;
	int err;

	metrics.rows = (struct out){ .json = true, .columns = tool->metric_columns ? tool->metric_columns : tool->out.columns };
	while (metrics.rows.columns[columns].name)
		columns++;
	wanted = malloc((columns + 1) * sizeof(*wanted));
	err = wanted ? out__open(&metrics.rows) : -ENOMEM;
	if (!err) {
		memset(wanted, true, columns + 1);
		out__take_rows(&metrics.rows, wanted, take_row, tool);
	}
	free(wanted);
	return err;
}

void metrics__begin(struct tool *tool)
{
	metrics.start_ns = (uint64_t)clock__ns(CLOCK_REALTIME);
	if (open_rows(tool))
		tool__fail(tool, -ENOMEM, "no memory for metrics");
}

bool metrics__is_taking(const struct tool *tool)
{
	return tool->metrics && metrics.is_taking;
}

void metrics__take_hist(struct tool *tool, const char *key, const struct hist_view *view)
{
	int err = metric_totals__add_hist(&metrics.totals, key, view);

	if (err && !tool->err)
		tool__fail(tool, err, "--metrics: a histogram cannot be added up: %s", strerror(-err));
}

uint64_t metrics__take(struct tool *tool, const struct interval *interval,
		       uint64_t (*print)(void *ctx, struct tool *tool, const struct interval *interval), void *ctx)
{
	uint32_t rows_max = tool->options.rows_max;
	struct out other = tool->out;
	uint64_t counted;

	tool->out = metrics.rows;
	tool->options.rows_max = UINT32_MAX;
	metrics.is_taking = true;
	counted = print(ctx, tool, interval);
	metrics.is_taking = false;
	tool->options.rows_max = rows_max;
	metrics.rows = tool->out;
	tool->out = other;
	if (out__error(&metrics.rows) && !tool->err)
		tool__fail(tool, metrics.rows.error, "--metrics: %s", out__error(&metrics.rows));
	return counted;
}

/* To stdout each text has an end, by which a reader cuts the stream. */
static void print_text(struct tool *tool, struct text_buffer *text)
{
	static const char end[] = "# EOF";

	text_buffer__put(text, end, sizeof(end) - 1);
	out__line(&tool->out, text->text, text->length);
	out__flush(&tool->out);
}

/*
 * A disk that is full now may have room the next time, and the totals are then written all the same.  At the end there is no next time, and
 * what is not permitted now never will be: root without capabilities may not write into another user's directory.
 */
static void fail(struct tool *tool, int err, bool is_over)
{
	metrics.is_refused = err == -EACCES || err == -EPERM || err == -EROFS;
	if (metrics.is_refused)
		tool__fail(tool, err, "--metrics \"%s\": cannot be written: %s (the directory must be the user's own: a running tool has no "
			   "capabilities)", metrics.file.path, strerror(-err));
	else if (is_over)
		tool__fail(tool, err, "--metrics \"%s\": cannot be written: %s", metrics.file.path, strerror(-err));
	else if (!metrics.is_late)
		say("--metrics \"%s\": cannot be written: %s (the totals are kept until it can be)", metrics.file.path, strerror(-err));
	metrics.is_late = true;
}

void metrics__write(struct tool *tool, const struct tally *total, bool is_over)
{
	struct text_buffer *text = &metrics.text;
	int err;

	if (metrics.is_refused)
		return;
	/* a field of an event may be called `unit`, too */
	err = task_keys__are_cgroups() || counting__is_by_cgroup(tool) ? gone_series__fold(&metrics.totals) : 0;
	if (err) {
		tool__fail(tool, err, "no memory for metrics");
		return;
	}
	text_buffer__clear(text);
	metric_totals__text(&metrics.totals, total, metrics.start_ns, !is_over, text);
	err = text->err;
	if (!err && metrics.to_stdout)
		print_text(tool, text);
	else if (!err)
		err = replaced_file__write(&metrics.file, text->text, text->length);
	if (err)
		fail(tool, err, is_over);
	else
		metrics.is_late = false;
	if (!err)
		metric_totals__written(&metrics.totals);
	if (is_over && !metrics.to_stdout)
		replaced_file__close(&metrics.file, metrics.removes);
}

void metrics__free(struct tool *tool)
{
	if (!tool->metrics)
		return;
	metric_totals__free(&metrics.totals);
	out__free(&metrics.rows);
	text_buffer__free(&metrics.text);
	if (!metrics.to_stdout)
		replaced_file__close(&metrics.file, false);
}
