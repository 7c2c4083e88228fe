/* SPDX-License-Identifier: BSD-2-Clause */
/* The engines without programs: tracers of the kernel's in an instance of tracefs.  They give rows, no sums. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/ftrace/latency.h"
#include "lib/ftrace/timerlat.h"
#include "lib/ftrace/tracer.h"
#include "lib/kernel/clock.h"
#include "lib/kernel/file.h"
#include "lib/kernel/owner.h"
#include "lib/kernel/thread_name.h"
#include "lib/run/privileges.h"
#include "lib/run/counting.h"
#include "lib/run/pump.h"
#include "lib/run/tally.h"
#include "sections.h"

#define NS_PER_US 1000
#define LOOK_MS 100
/* PROC_PID_INIT_INO in include/linux/proc_ns.h: the tracers tell numbers of the initial pid namespace */
#define PID_NS_INITIAL 0xeffffffc

/* A section as a row. */
struct traced {
	uint64_t ts_ns, ns;
	bool has_place;			/* else nothing is known but the length */
	uint32_t cpu, pid, tid, uid;
	const char *comm;		/* NULL: the task is gone */
	const char *source, *from, *to;
};

struct tracer_run {
	struct sections *sections;
	struct tool *tool;
	struct source source;
	struct pump pump;
	bool has_ended;			/* nothing is traced any more */
	uint64_t rows;			/* printed, written or not */
	uint64_t filtered;
	uint64_t longest_ns[CPUS_MAX];	/* of timerlat, of all rows so far */
	bool was_idle[CPUS_MAX];	/* when its timer expired last */
	struct latency latency;
	struct latency_text text;
	struct timerlat timerlat;
};

/* The number behind "NAME:\t" in the text of /proc/PID/status; fallback where there is none. */
static uint32_t status_number(const char *status, const char *name, uint32_t fallback)
{
	const char *at = strstr(status, name);

	return at ? (uint32_t)strtoul(at + strlen(name), NULL, 10) : fallback;
}

/* Process and user of a thread; where it is gone, the thread's number stands for the process. */
static void find_process(struct traced *traced)
{
	char path[64], status[2048];

	snprintf(path, sizeof(path), "/proc/%u/status", traced->tid);
	file__read_small(path, status, sizeof(status));
	traced->pid = status_number(status, "\nTgid:\t", traced->tid);
	traced->uid = status_number(status, "\nUid:\t", traced->uid);
}

/* The name of a thread too; is_timer: it is timerlat's own, which ends with the tracer, before its last samples are read. */
static void find_task(struct traced *traced, bool is_timer, char comm[TASK_COMM_LEN + 1])
{
	bool is_known;

	find_process(traced);
	is_known = thread_name__find(traced->tid, traced->cpu, comm);
	/* start_kthread() in kernel/trace/trace_osnoise.c */
	if (!is_known && is_timer)
		snprintf(comm, TASK_COMM_LEN, "timerlat/%u", traced->cpu);
	traced->comm = is_known || is_timer ? comm : NULL;
}

/* In the order of the columns in sections.c.  stack, functions: of latency_text.h, or NULL. */
static void put(struct tracer_run *run, const struct traced *traced, const struct latency_text *text)
{
	struct out *out = &run->tool->out;

	out__row(out, traced->ts_ns);
	out__latency(out, traced->ns);
	if (traced->has_place) {
		out__int(out, traced->cpu);
		out__int(out, traced->pid);
		out__int(out, traced->tid);
		out__int(out, traced->uid);
		out__string(out, traced->comm, TASK_COMM_LEN);
	} else {
		for (int i = 0; i < 5; i++)
			out__none(out);
	}
	tool__cgroup(run->tool, 0);
	out__string(out, traced->source, 16);
	out__string(out, traced->from, SECTION_NAME_SIZE);
	out__string(out, traced->to, SECTION_NAME_SIZE);
	out__none(out);
	if (sections__shows_steal(run->sections))
		out__int(out, (int64_t)(cpus__steal_ms() - run->sections->steal_ms));
	else
		out__none(out);
	if (text) {
		out__strings(out, text->stack, run->sections->wants.stack ? text->stack_size : 0, 0);
		out__strings(out, text->functions, text->functions_size, text->functions_more);
	} else {
		out__strings(out, "", 0, 0);
		out__strings(out, "", 0, 0);
	}
	out__end(out);
	run->rows++;
}

static bool is_enough(void *ctx)
{
	const struct tracer_run *run = ctx;

	return run->tool->out.error || (run->tool->options.events_max && run->rows >= run->tool->options.events_max);
}

static int read_latency(struct tracer_run *run, struct batch *batch)
{
	struct latency_text *text = &run->text;
	int more = 0;

	while (!is_enough(run) && !batch__is_over(batch) && (more = latency__next(&run->latency, text)) > 0) {
		struct traced traced = {
			.ts_ns = now_ns(), .ns = text->us * NS_PER_US, .cpu = text->cpu, .tid = text->tid, .uid = text->uid,
			.source = "ftrace", .from = "-", .to = "-",
		};

		if (*text->from) {
			traced.has_place = true;
			traced.comm = text->comm;
			traced.from = text->from;
			traced.to = section__caller(text->to, text->stack, text->stack_size);
			find_process(&traced);
		}
		put(run, &traced, text);
		batch__add(batch, 1);
	}
	return more;
}

static int read_timerlat(struct tracer_run *run, struct batch *batch)
{
	const struct section_wants *wants = &run->sections->wants;
	uint64_t until_ns = run->has_ended ? UINT64_MAX : now_ns();
	struct timerlat_sample sample;
	int more = 0;

	while (!is_enough(run) && !batch__is_over(batch) && (more = timerlat__next(&run->timerlat, until_ns, &sample)) > 0) {
		struct traced traced = {
			.ts_ns = sample.time_ns, .ns = sample.late_ns, .has_place = true, .cpu = (uint32_t)sample.cpu, .tid = sample.tid,
			.source = sample.is_thread ? "thread" : "irq", .from = "-", .to = "-",
		};
		char comm[TASK_COMM_LEN + 1];

		batch__add(batch, 1);
		if (sample.cpu >= CPUS_MAX)
			continue;
		if (!sample.is_thread)
			run->was_idle[sample.cpu] = !sample.tid;
		if (!(run->sections->kinds & (sample.is_thread ? SECTION_PREEMPT : SECTION_IRQS)))
			continue;
		if (sample.late_ns < wants->slower_ns || (!wants->all && sample.late_ns <= run->longest_ns[sample.cpu]))
			continue;
		/* an idle CPU leaves a deep sleep late, and no task had to wait for it */
		if (!wants->idle && run->was_idle[sample.cpu]) {
			run->filtered++;
			continue;
		}
		run->longest_ns[sample.cpu] = sample.late_ns;
		find_task(&traced, sample.is_thread, comm);
		put(run, &traced, NULL);
	}
	return more;
}

static bool is_ftrace(const struct tracer_run *run)
{
	return run->sections->engine == SECTIONS_FTRACE;
}

static int read_tracer(void *ctx, struct batch *batch)
{
	struct tracer_run *run = ctx;
	int more = is_ftrace(run) ? read_latency(run, batch) : read_timerlat(run, batch);

	return more < 0 ? more : 0;
}

static void end_tracing(void *ctx)
{
	struct tracer_run *run = ctx;

	run->has_ended = true;
	if (is_ftrace(run))
		latency__end(&run->latency);
	else
		tracer_records__end(&run->timerlat.records);
}

static int is_intact(void *ctx, struct fault *fault)
{
	struct tracer_run *run = ctx;

	return is_ftrace(run) ? latency__is_intact(&run->latency, fault) : intact__check(&run->timerlat.records.intact, fault);
}

static void describe(const struct tracer_run *run, char *text, size_t size)
{
	unsigned long long slower = run->sections->wants.slower_ns / NS_PER_US, period = run->timerlat.period_us;

	if (!is_ftrace(run)) {
		size_t used = (size_t)snprintf(text, size, "the kernel's timer on each CPU each %llu us (osnoise/timerlat_period_us, one for "
					       "the whole system): a section longer than %llu us is always seen; its length is what was left of it "
					       "when the timer was due: at most %llu us too little, never too much", period,
					       period + slower, period);

		if (run->sections->kinds & SECTION_PREEMPT)
			snprintf(text + used, size - used, "; thread: until the timer's own thread ran, the interrupt's lateness included");
		return;
	}
	if (run->sections->wants.all)
		snprintf(text, size, "the kernel's own tracer: a section of %llu us or more that is the longest since the last one was read; "
			 "shorter ones are not seen", slower);
	else
		snprintf(text, size, "the kernel's own tracer: each section that is the longest so far, exactly, in whole microseconds");
}

/* Options and machines that the engine is not for.  tool->err. */
static int check(const struct tracer_run *run)
{
	const struct sections *sections = run->sections;
	struct tool *tool = run->tool;
	const char *name = sections__engine_name(sections);
	struct owner self = owner__self();

	if (tool->options.filter.active)
		return tool__fail(tool, -EOPNOTSUPP, "--engine %s: the kernel's tracer has no filters (-p, -t, -u, -n, -c), and a command is one", name);
	if (self.pid_ns != PID_NS_INITIAL)
		return tool__fail(tool, -EOPNOTSUPP,
				  "--engine %s: the kernel's tracer records numbers of the initial pid namespace, and this is "
				  "another one", name);
	if (is_ftrace(run) && !tracer__exists(NULL, tool->about->name))
		return tool__fail(tool, -ENOENT, "--engine ftrace: this kernel does not have the tracer %s (it was built without CONFIG_%s; "
				  "--engine stock needs none)", tool->about->name,
				  sections->kinds & SECTION_IRQS ? "IRQSOFF_TRACER" : "PREEMPT_TRACER");
	return is_ftrace(run) ? 0 : sections__check_slower(run->sections);
}

/* tool->err */
static int open_tracer(struct tracer_run *run)
{
	struct sections *sections = run->sections;
	struct tool *tool = run->tool;
	uint64_t floor_us = sections->slower_given ? sections->wants.slower_ns / NS_PER_US : 0;
	struct fault fault;
	int err;

	if (is_ftrace(run))
		err = latency__open(&run->latency, tool->about->name, sections->functions, floor_us, sections->slower_given, &fault);
	else
		err = timerlat__open(&run->timerlat, &fault);
	return err ? tool__fail(tool, err, "--engine %s: %s", sections__engine_name(sections), fault.text) : 0;
}

/* Closes the tracer, and says what was seen. */
static void finish(struct tracer_run *run)
{
	struct tool *tool = run->tool;
	struct tally tally = { .filtered = count__exact(run->filtered) };

	if (is_ftrace(run))
		tally.missed = count__unknown("the kernel's tracer keeps the longest section alone");
	else if (tracer_records__lost(&run->timerlat.records, &tally.lost.value))
		tally.lost = count__unknown("the instance's per_cpu/cpu*/stats in tracefs cannot be read");
	tally.delivered = tool__rows_done(tool);
	tally.unread = count__minus(run->rows, tally.delivered);
	watch__tally(&run->pump.watch, &tally);
	tool__print_summary(tool, &tally);
}

int sections__run_tracer(struct sections *sections, struct tool *tool)
{
	struct tracer_run *run = calloc(1, sizeof(*run));
	char text[768];
	int err;

	if (!run)
		return tool__fail(tool, -ENOMEM, "no memory");
	run->sections = sections;
	run->tool = tool;
	if (check(run)) {
		free(run);
		return tool->err;
	}
	if (!open_tracer(run)) {
		run->source = (struct source){
			.ctx = run,
			.what = "what the kernel's tracer records", .wake_fd = is_ftrace(run) ? run->latency.notify_fd : -1, .look_ms = LOOK_MS,
			.read = read_tracer, .end = end_tracing, .is_enough = is_enough, .is_intact = is_intact,
		};
		describe(run, text, sizeof(text));
		sections__announce(sections, text);
		if (!pump__start(&run->pump, tool, &run->source, PRIVILEGES_TRACEFS)) {
			pump__run(&run->pump);
			finish(run);
		}
	}
	err = is_ftrace(run) ? latency__close(&run->latency) : tracer_records__close(&run->timerlat.records);
	if (err < 0 && !tool->err)
		tool__fail(tool, err, "the instance in tracefs cannot be removed now (the next start removes it): %s", strerror(-err));
	free(run);
	return tool->err;
}
