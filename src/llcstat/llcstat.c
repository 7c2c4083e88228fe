/* SPDX-License-Identifier: BSD-2-Clause */
/* llcstat: two events that each CPU counts, by process and CPU: references and misses of the last-level cache, or others. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>

#include "counters.h"
#include "lib/perf/event_name.h"
#include "lib/print/others.h"
#include "lib/print/text_buffer.h"
#include "lib/run/foreign_options.h"
#include "lib/run/intervals.h"
#include "lib/run/metrics.h"
#include "lib/run/ranking.h"
#include "lib/run/tally.h"
#include "lib/run/task_keys.h"
#include "llcstat.h"
#include "llcstat.skel.h"

#define FOLLOW_MS 1000

enum { KEY_EVENTS = 0x200, KEY_CPU };

static struct llcstat_bpf *skel;
static struct counters counters = { .names = { "cache-references", "cache-misses" } };
static struct llcstat_counts attributed;	/* to tasks, and what filters dropped */
static uint64_t filtered;
static struct counters_sums last_sums;		/* once they have stopped */
static bool by_cpu, is_default = true, is_other, has_stopped, share_is_told;
static char start_members[256];

static const struct argp_option options[] = {
	{ "events", KEY_EVENTS, "A,B", 0, "two events by perf's names (cache-references,cache-misses)", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct by_word by[] = { { "cpu", KEY_CPU }, { NULL, 0 } };

static const struct foreign_option foreign_options[] = {
	{ "-C", "nothing is sampled: all is counted, at each switch of tasks" },
	{ "--sample_period", "nothing is sampled: all is counted, at each switch of tasks" },
	{ "--count", "--by process,cpu counts by these" },
	{ "--hist", "there are no values to make a histogram of" },
	{ NULL, NULL },
};

static struct out_column columns[] = {
	TASK_KEY_COLUMNS,
	{ "CPU", 4, &by_cpu, NULL },
	{ "REFERENCES", 14, NULL, "count" },
	{ "MISSES", 14, NULL, "second_count" },
	{ "HIT%", 7, &is_default, "hit_percent" },
	{ "B/A%", 7, &is_other, "percent" },
	TASK_KEY_CGROUP_COLUMNS,
	{ NULL, 0, NULL, NULL },
};

/* Names the columns of the two, whose keys stay. */
static void name_columns(void)
{
	for (size_t i = 0; columns[i].name; i++) {
		if (columns[i].key && !strcmp(columns[i].key, "count"))
			columns[i].name = counters.names[0];
		else if (columns[i].key && !strcmp(columns[i].key, "second_count"))
			columns[i].name = counters.names[1];
		else
			continue;
		if ((int)strlen(columns[i].name) > columns[i].width)
			columns[i].width = (int)strlen(columns[i].name);
	}
}

static void parse_events(char *text)
{
	struct perf_event_attr attr = { 0 };
	char *second = strchr(text, ',');

	if (!second || strchr(second + 1, ','))
		usage_error("--events \"%s\": not two events, A,B", text);
	*second++ = '\0';
	counters.names[0] = text;
	counters.names[1] = second;
	for (size_t i = 0; i < COUNTERS_EVENTS; i++) {
		struct text_buffer near = text_buffer__growing(256);

		if (event_name__parse(counters.names[i], &attr))
			continue;
		event_name__put_near(counters.names[i], &near);
		usage_error("--events: \"%s\" is no event that perf counts%s", counters.names[i], text_buffer__take(&near) ?: "");
	}
	is_default = false;
	is_other = true;
	name_columns();
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const struct tool *tool = state->input;

	switch (key) {
	case KEY_EVENTS:
		parse_events(arg);
		return 0;
	case KEY_CPU:
		by_cpu = true;
		return 0;
	case ARGP_KEY_END:
		if (!by_cpu && !task_keys__kind()) {
			by_cpu = true;
			task_keys__set(TASK_KEY_PROCESS, "process");
		}
		if (tool->shape && tool->shape->linear_count)
			usage_error("--linear: there are no histograms here");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- the counter (lib/run/intervals.h) */

static int attach(struct tool *tool)
{
	counters.maps[0] = bpf_map__fd(skel->maps.first_events);
	counters.maps[1] = bpf_map__fd(skel->maps.second_events);
	return counters__open(&counters, tool);
}

static int start(void *ctx)
{
	(void)ctx;
	return counters__start(&counters);
}

static int follow_cpus(void *ctx, struct batch *batch)
{
	(void)ctx;
	(void)batch;
	counters__follow_cpus(&counters);
	return 0;
}

/* What tasks that are on a CPU have counted since they got it.  A CPU that went offline has none. */
static int settle(void *ctx)
{
	int err = 0;

	(void)ctx;
	for (size_t i = 0; i < counters.cpus && !err; i++) {
		LIBBPF_OPTS(bpf_test_run_opts, opts, .flags = BPF_F_TEST_RUN_ON_CPU, .cpu = (__u32)counters.list[i].cpu);

		err = bpf_prog_test_run_opts(bpf_program__fd(skel->progs.on_switch), &opts);
		if (err == -ENXIO)
			err = 0;
	}
	return err;
}

static void cut(void *ctx)
{
	(void)ctx;
}

static int stop(void *ctx)
{
	int err = counters__stop(&counters);

	if (!err)
		err = settle(ctx);
	if (!err)
		err = counters__read(&counters, &last_sums);
	has_stopped = true;
	counters__close(&counters);
	return err;
}

static void count_filtered(void *ctx, struct tally *tally)
{
	(void)ctx;
	tally->filtered = count__exact(filtered);
}

/* ---- printing */

static void put_percent(struct out *out, const struct llcstat_counts *counts, bool of_hits, bool has)
{
	uint64_t part = of_hits ? counts->first - counts->second : counts->second;
	char text[32];

	/* a counter of misses may be ahead where the two are not counted at the same places */
	if (!has || !counts->first || (of_hits && counts->second > counts->first))
		out__none(out);
	else
		out__made(out, text, (size_t)snprintf(text, sizeof(text), "%.*f", out->json ? 3 : 1,
						      (double)part * 100 / (double)counts->first));
}

static void print_row(struct tool *tool, const struct interval *interval, const void *of, const void *value)
{
	const struct llcstat_counts *counts = value;
	const struct llcstat_key *key = of;
	struct out *out = &tool->out;

	if (!counts->first && !counts->second)
		return;
	out__row(out, interval->end_ns);
	task_keys__columns(out, key ? &key->task : NULL);
	if (key && by_cpu)
		out__int(out, (int64_t)key->cpu);
	else
		out__none(out);
	out__int(out, (int64_t)counts->first);
	out__int(out, (int64_t)counts->second);
	put_percent(out, counts, true, is_default);
	put_percent(out, counts, false, true);
	task_keys__cgroup_columns(out, key ? &key->task : NULL);
	out__end(out);
}

static uint64_t weigh(const void *value)
{
	const struct llcstat_counts *counts = value;

	return counts->first;
}

static void add(struct llcstat_counts *to, const struct llcstat_counts *counts)
{
	to->first += counts->first;
	to->second += counts->second;
}

/* What the CPUs have counted since the start, and how much of it is nobody's yet, as its task has not left its CPU. */
static void print_counters(struct tool *tool, const struct interval *interval)
{
	struct text_buffer text = text_buffer__growing(1024);
	struct counters_sums sums = last_sums;
	int err = has_stopped ? 0 : counters__read(&counters, &sums);

	if (err) {
		tool__fail(tool, err, "the counters cannot be read: %s", strerror(-err));
		return;
	}
	(void)interval;
	if (tool->out.json)
		text_buffer__add(&text, "{\"type\":\"counters\",\"tool\":\"llcstat\",\"counters\":{\"count\":%llu,"
				 "\"second_count\":%llu,"
				 "\"unattributed\":%llu,\"second_unattributed\":%llu,\"enabled_ns\":%llu,"
				 "\"running_ns\":%llu}}\n",
				 (unsigned long long)sums.counts[0], (unsigned long long)sums.counts[1],
				 (unsigned long long)(sums.counts[0] - attributed.first),
				 (unsigned long long)(sums.counts[1] - attributed.second),
				 (unsigned long long)sums.enabled_ns, (unsigned long long)sums.running_ns);
	else if (has_stopped)
		text_buffer__add(&text, "all CPUs: %llu %s, %llu %s; of no task %llu and %llu\n",
				 (unsigned long long)sums.counts[0], counters.names[0],
				 (unsigned long long)sums.counts[1], counters.names[1],
				 (unsigned long long)(sums.counts[0] - attributed.first),
				 (unsigned long long)(sums.counts[1] - attributed.second));
	interval__text(tool, &text);
	if (has_stopped && !share_is_told && sums.running_ns < sums.enabled_ns) {
		share_is_told = true;
		say("the counters counted %.1f %% of the time, as others use the processor's, too: all numbers are of that time alone",
		    (double)sums.running_ns * 100 / (double)sums.enabled_ns);
	}
}

static void add_interval(const struct tool *tool, const struct interval *interval)
{
	const struct llcstat_cpu *cells = interval->cells;

	(void)tool;
	for (size_t i = 0; i < interval->table->count; i++)
		add(&attributed, table__value(interval->table, i));
	add(&attributed, &cells->others);
	add(&attributed, &cells->filtered);
	filtered += cells->filtered.first;
}

static uint64_t print_interval(struct tool *tool, const struct interval *interval)
{
	const struct ranked_rows rows = { sizeof(struct llcstat_counts) / sizeof(uint64_t), weigh, print_row };
	const struct llcstat_cpu *cells = interval->cells;
	struct llcstat_counts others = cells->others, all = { 0 };

	if (ranking__print(tool, interval, interval->table, &rows, &others, &all))
		return 0;
	print_counters(tool, interval);
	return all.first;
}

static const struct metric metrics[] = {
	{ "perf_events_total", "The first of the two events (cache references).", METRIC_COUNT, "count", TASK_KEY_LABELS ",cpu" },
	{ "perf_second_events_total", "The second of them (cache misses).", METRIC_COUNT, "second_count", TASK_KEY_LABELS ",cpu" },
	{ NULL, NULL, METRIC_EVENTS, NULL, NULL },
};

static const struct tool_about about = {
	.name = "llcstat",
	.summary = "Counts references and misses of the last-level cache by process and CPU, or two other events of perf.",
	.examples = "  sudo llcstat -d 10                          by process and CPU\n"
		    "  sudo llcstat --refresh --by comm 1          as a top, each second\n"
		    "  sudo llcstat --events cycles,instructions   work for each cycle\n",
	.options = options,
	.foreign_options = foreign_options,
	.parse = parse,
	.columns = columns,
	.counts = true,
	.by_task = true,
	.by = by,
	.keys_max = LLCSTAT_KEYS,
	.keys_on_demand = true,
	.metrics = metrics,
};

int main(int argc, char **argv)
{
	static const struct counter counter = {
		.period_ms = FOLLOW_MS, .start = start, .read = follow_cpus, .settle = settle, .cut = cut, .stop = stop,
		.tally = count_filtered,
	};
	struct tool tool = { .about = &about, .attach_own = attach, .counter = &counter, .add_interval = add_interval,
			     .reads_maps = true, .rate_words = 1 };

	tool__parse(&tool, argc, argv);
	snprintf(start_members, sizeof(start_members), ",\"events\":[\"%s\",\"%s\"]", counters.names[0], counters.names[1]);
	tool.start_members = start_members;
	skel = llcstat_bpf__open_opts(tool__open_opts(&tool));
	if (tool__opened(&tool, skel)) {
		skel->rodata->task_key_kind = task_keys__kind();
		skel->rodata->by_cpu = by_cpu;
	}
	tool__run_intervals(&tool, skel, print_interval);
	counters__close(&counters);
	llcstat_bpf__destroy(skel);
	return tool__finish(&tool);
}
