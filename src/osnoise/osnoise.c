/* SPDX-License-Identifier: BSD-2-Clause */
/* osnoise: what takes a CPU from a thread that wants all of it, or is late on it, by the kernel's tracers osnoise, hwlat and timerlat. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ftrace/timerlat.h"
#include "lib/kernel/cpus.h"
#include "lib/print/json.h"
#include "lib/print/text_buffer.h"
#include "lib/run/argument.h"
#include "lib/run/kernel_stream.h"
#include "lib/run/metrics.h"
#include "lib/run/tool.h"
#include "osnoise.h"

#define LOOK_MS 100

static struct {
	const struct noise_tracer *tracer;
	bool has_slower;
	uint64_t slower_ns;
} opt = { .tracer = &noise_osnoise };

enum { KEY_SLOWER = 0x200, KEY_HW, KEY_TIMER };

static const struct argp_option options[] = {
	{ "hw", KEY_HW, NULL, 0, "hwlat: what the hardware takes, which no interrupt or thread does", 0 },
	{ "timer", KEY_TIMER, NULL, 0, "timerlat: how late a timer's interrupt and its thread are", 0 },
	{ "slower", KEY_SLOWER, "TIME", 0, "only lines with a noise or a delay of TIME or more (10ms, 500us)", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct tool *tool = state->input;

	switch (key) {
	case KEY_HW:
	case KEY_TIMER:
		if (opt.tracer != &noise_osnoise)
			usage_error("--hw and --timer exclude each other");
		opt.tracer = key == KEY_HW ? &noise_hwlat : &noise_timerlat;
		tool->columns = opt.tracer->columns;
		return 0;
	case KEY_SLOWER:
		opt.slower_ns = argument__time("--slower", arg);
		opt.has_slower = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

struct run {
	struct noise noise;
	uint64_t longest_ns[CPUS_MAX][2];	/* of rows, where only those that are longer than all before are asked for */
	char *start_members;
};

/*
 * What the tracer does and its settings, one for the whole system: a line, and in the start record.  They are read once it runs, as hwlat
 * then has a limit.
 */
static void announce(struct run *run, struct tool *tool)
{
	const struct noise_tracer *tracer = opt.tracer;
	struct text_buffer text = text_buffer__growing(1 << 12), json = text_buffer__growing(1 << 14);
	char *line, *quoted;

	text_buffer__add(&text, "%s (us, one for the whole system:", tracer->does);
	for (size_t i = 0; tracer->settings[i]; i++) {
		uint64_t number = 0;

		if (!tracer_records__setting(tracer->settings[i], &number))
			text_buffer__add(&text, "%s %s %llu", i ? "," : "", tracer->settings[i], (unsigned long long)number);
	}
	text_buffer__add(&text, ")");
	line = text_buffer__take(&text);
	quoted = line ? malloc(6 * strlen(line) + 3) : NULL;
	if (quoted) {
		*json__quote(quoted, line, strlen(line)) = 0;
		text_buffer__add(&json, ",\"engine\":\"%s\",\"guarantee\":%s", tracer->name, quoted);
		say("%s", line);
	}
	run->start_members = text_buffer__take(&json);
	tool->start_members = run->start_members;
	free(quoted);
	free(line);
}

static int start(void *ctx, struct tool *tool)
{
	struct run *run = ctx;
	struct fault fault;
	int err = opt.tracer->open(&run->noise, &fault);

	if (err)
		return tool__fail(tool, err, err == -EOPNOTSUPP ? "%s; %s" : "%s", fault.text, opt.tracer->instead);
	announce(run, tool);
	return 0;
}

/* Whether a row is asked for. */
static bool is_wanted(struct run *run, const struct stream_event *event)
{
	uint64_t ns = run->noise.ns;

	if (opt.has_slower || !opt.tracer->longest_only)
		return ns >= opt.slower_ns;
	if (event->cpu >= CPUS_MAX || ns <= run->longest_ns[event->cpu][run->noise.sample.is_thread])
		return false;
	run->longest_ns[event->cpu][run->noise.sample.is_thread] = ns;
	return true;
}

static int next(void *ctx, struct stream_event *event)
{
	struct run *run = ctx;
	struct stream_record record;
	int more = tracer_records__next(&run->noise.timerlat.records, &record);

	if (more <= 0)
		return more;
	event->cpu = (uint32_t)record.cpu;
	event->lost_some = record.lost_some;
	event->lost = record.lost;
	opt.tracer->read(&run->noise, &record);
	stream_event__set_task(event, record.record.time, 0, run->noise.tid, NULL);
	event->is_none = !is_wanted(run, event);
	return 1;
}

static int print(void *ctx, struct tool *tool, const struct stream_event *event)
{
	struct run *run = ctx;

	out__row(&tool->out, event->task.ts_ns);
	out__int(&tool->out, event->cpu);
	opt.tracer->print(&run->noise, &tool->out, event->cpu);
	return 0;
}

static void end(void *ctx)
{
	struct run *run = ctx;

	tracer_records__end(&run->noise.timerlat.records);
}

static int count_lost(void *ctx, uint64_t *lost)
{
	const struct run *run = ctx;

	return tracer_records__lost(&run->noise.timerlat.records, lost);
}

static int is_intact(void *ctx, struct fault *fault)
{
	struct run *run = ctx;

	return intact__check(&run->noise.timerlat.records.intact, fault);
}

static int close_tracer(void *ctx)
{
	struct run *run = ctx;

	return tracer_records__close(&run->noise.timerlat.records);
}

static const struct tool_about about = {
	.name = "osnoise",
	.summary = "Shows what takes a CPU from a thread that wants all of it, and how late timers are: the kernel's osnoise, hwlat and timerlat.",
	.examples = "  sudo osnoise              a line for each CPU and second: what took it\n"
		    "  sudo osnoise --hw         what the hardware took (hwlat)\n"
		    "  sudo osnoise --timer      the longest delays of a timer so far (timerlat)\n",
	.options = options,
	.parse = parse,
	.columns = noise_osnoise_columns,
	.no_task = "the kernel's own threads measure, each on its CPU",
	.metrics = METRIC_OF_ROWS("noise_rows_total", "Measurements of the kernel's osnoise, hwlat or timerlat."),
};

int main(int argc, char **argv)
{
	static const struct kernel_stream_ops ops = {
		.start = start, .next = next, .print = print, .end = end, .lost = count_lost, .is_intact = is_intact, .close = close_tracer,
	};
	static struct run run;
	struct kernel_stream stream = { .ops = &ops, .ctx = &run, .label = "the kernel's tracer", .look_ms = LOOK_MS };
	struct tool tool = { .about = &about };

	tool__parse(&tool, argc, argv);
	if (tool__open_opts(&tool))
		kernel_stream__run(&stream, &tool);
	free(run.start_members);
	return tool__finish(&tool);
}
