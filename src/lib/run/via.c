/* SPDX-License-Identifier: BSD-2-Clause */
#include "via.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ftrace/recorder.h"
#include "lib/perf/sampler.h"
#include "loop.h"
#include "privileges.h"
#include "tally.h"
#include "task_filter.h"

/* Between two looks at the buffers; a row may take 50 ms to show. */
#define LOOK_MS 20
/* Records between two looks at signals, the clock and the output. */
#define BATCH 4096

union consumer {
	struct recorder recorder;
	struct sampler sampler;
};

/* What a consumer does; as of recorder.h and sampler.h. */
struct consumer_ops {
	const char *name;
	const char *missed_why;
	int (*open)(union consumer *consumer, unsigned int buffer_kb, char *why, size_t size);
	int (*add)(union consumer *consumer, const struct format *format, const char *filter, char *why, size_t size);
	int (*start)(union consumer *consumer);		/* or NULL: they are recorded once they are added */
	int (*next)(union consumer *consumer, struct raw_record *record);
	void (*end)(union consumer *consumer);
	int (*lost)(const union consumer *consumer, uint64_t *lost);
	int (*close)(union consumer *consumer);
};

struct run {
	const struct via *via;
	const struct consumer_ops *ops;
	struct tool *tool;
	struct loop loop;
	union consumer consumer;
	char *copy;			/* room for the largest record */
	bool ended;			/* nothing is recorded any more */
	bool filters;			/* the kernel drops events, and does not count them */
	struct tally tally;		/* filtered and unread; the rest at the end */
	uint64_t rows;			/* printed, written or not */
	uint64_t broken;		/* records that do not have the fields of their format */
	uint64_t lost_told;
	int64_t lost_told_ms;
};

static int ftrace_open(union consumer *consumer, unsigned int buffer_kb, char *why, size_t size)
{
	return recorder__open(&consumer->recorder, buffer_kb, why, size);
}

static int ftrace_add(union consumer *consumer, const struct format *format, const char *filter, char *why, size_t size)
{
	return recorder__add(&consumer->recorder, format, filter, why, size);
}

static int ftrace_next(union consumer *consumer, struct raw_record *record)
{
	return recorder__next(&consumer->recorder, record);
}

static void ftrace_end(union consumer *consumer)
{
	recorder__end(&consumer->recorder);
}

/* Pages that were not understood had records, nobody knows how many. */
static int ftrace_lost(const union consumer *consumer, uint64_t *lost)
{
	int err = recorder__lost(&consumer->recorder, lost);

	if (!err)
		*lost += consumer->recorder.stream.broken;
	return err;
}

static int ftrace_close(union consumer *consumer)
{
	return recorder__close(&consumer->recorder);
}

static int perf_open(union consumer *consumer, unsigned int buffer_kb, char *why, size_t size)
{
	return sampler__open(&consumer->sampler, buffer_kb, why, size);
}

static int perf_add(union consumer *consumer, const struct format *format, const char *filter, char *why, size_t size)
{
	return sampler__add(&consumer->sampler, format, filter, why, size);
}

static int perf_start(union consumer *consumer)
{
	return sampler__start(&consumer->sampler);
}

static int perf_next(union consumer *consumer, struct raw_record *record)
{
	return sampler__next(&consumer->sampler, record);
}

static void perf_end(union consumer *consumer)
{
	sampler__end(&consumer->sampler);
}

static int perf_lost(const union consumer *consumer, uint64_t *lost)
{
	return sampler__lost(&consumer->sampler, lost);
}

static int perf_close(union consumer *consumer)
{
	sampler__close(&consumer->sampler);
	return 0;
}

static const struct consumer_ops all_ops[] = {
	[VIA_BPF] = { .name = "bpf" },
	[VIA_FTRACE] = {
		.name = "ftrace", .missed_why = "ftrace does not tell", .open = ftrace_open, .add = ftrace_add, .next = ftrace_next,
		.end = ftrace_end, .lost = ftrace_lost, .close = ftrace_close,
	},
	[VIA_PERF] = {
		.name = "perf", .missed_why = "perf does not tell", .open = perf_open, .add = perf_add, .start = perf_start,
		.next = perf_next, .end = perf_end, .lost = perf_lost, .close = perf_close,
	},
};

enum via_consumer via__parse(const char *text)
{
	for (size_t i = 0; i < sizeof(all_ops) / sizeof(*all_ops); i++)
		if (!strcmp(text, all_ops[i].name))
			return (enum via_consumer)i;
	usage_error("--via \"%s\": not one of bpf, ftrace, perf", text);
}

void via__check(const struct via *via, const struct tool *tool)
{
	const char *name = all_ops[via->consumer].name;

	if (via->consumer == VIA_BPF)
		return;
	if (tool->counts)
		usage_error("--via %s: records events, and counts none (--count and --hist are for --via bpf)", name);
	if (tool->filter.by_uid || tool->filter.by_cgroup)
		usage_error("--via %s: records do not tell the user and the cgroup of a task (-u and -c are for --via bpf)", name);
}

/* The filters of an event in the kernel's language: NULL without one. 0 or tool->err. */
static int make_filter(struct tool *tool, const struct plan *plan, char **text)
{
	struct expr_error error;
	char why[512];
	int err;

	*text = NULL;
	if (!plan->filter)
		return 0;
	err = plan__predicate(plan, text, &error);
	if (!err)
		return 0;
	plan__explain(plan, &error, why, sizeof(why));
	return tool__fail(tool, err, "%s: %s (--via bpf has all filters)", plan->name, why);
}

/* tool->err */
static int start_recording(struct run *run)
{
	const char *name = run->ops->name;
	struct tool *tool = run->tool;
	char why[768], *filter;
	int err;

	if (tool->filter.pidns_ino)
		return tool__fail(tool, -EOPNOTSUPP, "--via %s: records tell the tasks' numbers in the initial pid namespace, and this is "
				  "another one", name);
	for (size_t i = 0; i < run->via->plans_count; i++)
		if (run->via->plans[i].source != REQUEST_TRACEPOINT)
			return tool__fail(tool, -EOPNOTSUPP, "--via %s: %s is no event with a record (--via bpf has it)", name,
					  run->via->plans[i].name);
	err = run->ops->open(&run->consumer, tool->ring_size / 1024, why, sizeof(why));
	if (err)
		return tool__fail(tool, err, "--via %s: %s", name, why);
	for (size_t i = 0; i < run->via->plans_count; i++) {
		const struct plan *plan = &run->via->plans[i];

		if (make_filter(tool, plan, &filter))
			return tool->err;
		err = run->ops->add(&run->consumer, plan->format, filter, why, sizeof(why));
		if (err)
			tool__fail(tool, err, "--via %s: %s", name, why);
		else
			tool__debug(tool, "recorded by %s: %s%s%s", name, plan->name, filter ? ", filter " : "", filter ? filter : "");
		run->filters |= filter != NULL;
		free(filter);
		if (err)
			return tool->err;
	}
	err = run->ops->start ? run->ops->start(&run->consumer) : 0;
	return err ? tool__fail(tool, err, "--via %s: the events cannot be switched on: %s", name, strerror(-err)) : 0;
}

/* Ends the recording, once. */
static void end_recording(struct run *run)
{
	if (!run->ended)
		run->ops->end(&run->consumer);
	run->ended = true;
}

/* Told at once, at most once a second. */
static void tell_losses(struct run *run)
{
	int64_t now = loop__now_ms();
	uint64_t lost;

	if (now - run->lost_told_ms < 1000 || run->ops->lost(&run->consumer, &lost))
		return;
	run->lost_told_ms = now;
	if (lost > run->lost_told)
		say("lost %llu events: the reader is too slow (try a filter, a larger --buffer, or nice -n -5)",
		    (unsigned long long)(lost - run->lost_told));
	run->lost_told = lost;
}

/* While a write to the output blocks: the recording ends on time all the same. */
static void on_blocked(void *ctx)
{
	struct run *run = ctx;

	if (loop__is_past_deadline(&run->loop))
		end_recording(run);
}

static bool is_enough(const struct run *run)
{
	return run->tool->out.error || (run->tool->events_max && run->rows >= run->tool->events_max);
}

static const struct plan *plan_of(const struct via *via, uint16_t type)
{
	for (size_t i = 0; i < via->plans_count; i++)
		if (via->plans[i].format->id == type)
			return &via->plans[i];
	return NULL;
}

static void take(struct run *run, const struct raw_record *record)
{
	const struct task_filter *filter = &run->tool->filter;
	const struct plan *plan = plan_of(run->via, record->type);
	struct event_task task = { .ts_ns = record->time_ns, .pid = record->pid, .tid = record->tid, .reserved = TASK_NO_USER };

	if (!plan)
		return;
	/* what the tool does itself is no event */
	if (task.pid == filter->self)
		return;
	if (!record->tid)
		snprintf(task.comm, sizeof(task.comm), "swapper/%u", record->cpu);
	else if (record->comm)
		memcpy(task.comm, record->comm, strnlen(record->comm, sizeof(task.comm)));
	else	/* as the kernel's own trace has it */
		strcpy(task.comm, "<...>");
	if (!task_filter__passes(filter, &task)) {
		run->tally.filtered++;
	} else if (is_enough(run)) {
		run->tally.unread++;
	} else if (record__take(&plan->record, run->copy, record->data, record->size)) {
		run->broken++;
	} else {
		run->via->print(run->tool, plan, &task, record->cpu, run->copy);
		out__end(&run->tool->out);
		run->rows++;
	}
}

/* Reads what is there, at most a batch. How many records, or -errno. */
static int read_batch(struct run *run)
{
	struct raw_record record;
	int count, more = 1;

	for (count = 0; count < BATCH; count++) {
		more = run->ops->next(&run->consumer, &record);
		if (more <= 0)
			break;
		take(run, &record);
	}
	out__flush(&run->tool->out);
	return more < 0 ? more : count;
}

static bool is_over(const struct run *run)
{
	return loop__is_over(&run->loop) || is_enough(run);
}

/* tool->err */
static int start_output(struct run *run)
{
	struct tool *tool = run->tool;
	size_t largest = 0;
	int err;

	for (size_t i = 0; i < run->via->plans_count; i++)
		largest = run->via->plans[i].record.size > largest ? run->via->plans[i].record.size : largest;
	run->copy = malloc(largest);
	tool->out.columns = tool->columns;
	tool->out.record = "event";
	tool->out.tool = tool->name;
	tool->out.sink.should_stop = loop__is_stopping;
	tool->out.sink.on_blocked = on_blocked;
	tool->out.sink.on_blocked_ctx = run;
	if (!run->copy || out__open(&tool->out))
		return tool__fail(tool, -ENOMEM, "no memory for the output");
	if (tool->duration_ns)
		run->loop.deadline_ms = loop__now_ms() + (int64_t)(tool->duration_ns / 1000000);
	loop__start_tick();
	err = privileges__drop(PRIVILEGES_NONE);
	if (err)
		return tool__fail(tool, err, "capabilities cannot be dropped: %s", strerror(-err));
	out__header(&tool->out);
	tool__print_start(tool);
	out__flush(&tool->out);
	return 0;
}

static void print_summary(struct run *run)
{
	struct tally *tally = &run->tally;

	if (run->ops->lost(&run->consumer, &tally->lost))
		tool__fail(run->tool, -EIO, "--via %s: what was lost cannot be read", run->ops->name);
	tally->lost += run->broken;
	tally->delivered = run->tool->out.rows_written;
	tally->unread += run->rows - tally->delivered;
	tally->missed_why = run->ops->missed_why;
	tally->filtered_partly = run->filters;
	tool__print_summary(run->tool, tally);
}

int via__run(const struct via *via, struct tool *tool)
{
	struct run run = { .via = via, .ops = &all_ops[via->consumer], .tool = tool, .loop = { .out = &tool->out } };
	int count = 0, err;

	if (tool->err)
		return tool->err;
	if (start_recording(&run) || start_output(&run))
		goto out;
	while (!is_over(&run) && count >= 0) {
		count = read_batch(&run);
		tell_losses(&run);
		if (count < BATCH && count >= 0 && !is_over(&run))
			loop__sleep(&run.loop, -1, LOOK_MS);
	}
	end_recording(&run);
	while (count >= 0 && (count = read_batch(&run)) > 0)
		;
	if (count < 0)
		tool__fail(tool, count, "--via %s: the ring buffers cannot be read: %s", run.ops->name, strerror(-count));
	print_summary(&run);
out:
	free(run.copy);
	err = run.ops->close(&run.consumer);
	if (err < 0)
		tool__fail(tool, err, "an instance in tracefs cannot be removed now (the next start removes it): %s", strerror(-err));
	return tool->err;
}
