/* SPDX-License-Identifier: BSD-2-Clause */
#include "via.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ftrace/recorder.h"
#include "loop.h"
#include "privileges.h"
#include "tally.h"
#include "task_filter.h"

/* Between two looks at the buffers; a row may take 50 ms to show. */
#define LOOK_MS 20
/* Records between two looks at signals, the clock and the output. */
#define BATCH 4096

struct run {
	const struct via *via;
	struct tool *tool;
	struct loop loop;
	struct recorder recorder;
	char *copy;			/* room for the largest record */
	bool ended;			/* nothing is recorded any more */
	bool filters;			/* the kernel drops events, and does not count them */
	struct tally tally;		/* filtered and unread; the rest at the end */
	uint64_t rows;			/* printed, written or not */
	uint64_t broken;		/* records that do not have the fields of their format */
	uint64_t lost_told;
	int64_t lost_told_ms;
};

enum via_consumer via__parse(const char *text)
{
	static const char *const names[] = { [VIA_BPF] = "bpf", [VIA_FTRACE] = "ftrace" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(text, names[i]))
			return (enum via_consumer)i;
	usage_error("--via \"%s\": not one of bpf, ftrace", text);
}

void via__check(const struct via *via, const struct tool *tool)
{
	if (via->consumer == VIA_BPF)
		return;
	if (tool->counts)
		usage_error("--via ftrace: records events, and counts none (--count and --hist are for --via bpf)");
	if (tool->filter.by_uid || tool->filter.by_cgroup)
		usage_error("--via ftrace: records do not tell the user and the cgroup of a task (-u and -c are for --via bpf)");
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
	struct tool *tool = run->tool;
	char why[768], *filter;
	int err;

	if (tool->filter.pidns_ino)
		return tool__fail(tool, -EOPNOTSUPP, "--via ftrace: records tell the tasks' numbers in the initial pid namespace, and this is "
				  "another one");
	err = recorder__open(&run->recorder, tool->ring_size / 1024, why, sizeof(why));
	if (err)
		return tool__fail(tool, err, "--via ftrace: %s", why);
	for (size_t i = 0; i < run->via->plans_count; i++) {
		const struct plan *plan = &run->via->plans[i];

		if (make_filter(tool, plan, &filter))
			return tool->err;
		err = recorder__add(&run->recorder, plan->format, filter, why, sizeof(why));
		if (err)
			tool__fail(tool, err, "--via ftrace: %s", why);
		else
			tool__debug(tool, "recorded in %s: %s%s%s", run->recorder.instance.path, plan->name, filter ? ", filter " : "",
				    filter ? filter : "");
		run->filters |= filter != NULL;
		free(filter);
		if (err)
			return tool->err;
	}
	return 0;
}

/* Ends the recording, once. */
static void end_recording(struct run *run)
{
	if (!run->ended)
		recorder__end(&run->recorder);
	run->ended = true;
}

/* Told at once, at most once a second. */
static void tell_losses(struct run *run)
{
	int64_t now = loop__now_ms();
	uint64_t lost;

	if (now - run->lost_told_ms < 1000 || recorder__lost(&run->recorder, &lost))
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

static void take(struct run *run, const struct recorder_record *record)
{
	const struct task_filter *filter = &run->tool->filter;
	const struct plan *plan = plan_of(run->via, record->type);
	struct event_task task = { .ts_ns = record->time_ns, .tid = record->tid, .reserved = TASK_NO_USER };

	if (!plan)
		return;
	task.pid = record->task ? record->task->pid : record->tid;
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
	struct recorder_record record;
	int count, more = 1;

	for (count = 0; count < BATCH; count++) {
		more = recorder__next(&run->recorder, &record);
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

	if (recorder__lost(&run->recorder, &tally->lost))
		tool__fail(run->tool, -EIO, "what was lost cannot be read in tracefs");
	tally->lost += run->broken + run->recorder.stream.broken;
	tally->delivered = run->tool->out.rows_written;
	tally->unread += run->rows - tally->delivered;
	tally->missed_why = "ftrace does not tell";
	tally->filtered_partly = run->filters;
	tool__print_summary(run->tool, tally);
}

int via__run(const struct via *via, struct tool *tool)
{
	struct run run = { .via = via, .tool = tool, .loop = { .out = &tool->out } };
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
		tool__fail(tool, count, "the ring buffers in tracefs cannot be read: %s", strerror(-count));
	print_summary(&run);
out:
	free(run.copy);
	err = recorder__close(&run.recorder);
	if (err < 0)
		tool__fail(tool, err, "an instance in tracefs cannot be removed now (the next start removes it): %s", strerror(-err));
	return tool->err;
}
