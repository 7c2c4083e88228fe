/* SPDX-License-Identifier: BSD-2-Clause */
#include "recorded.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "brake.h"
#include "lib/loop/loop.h"
#include "tally.h"
#include "task_filter.h"

/* Between two looks at the buffers; a row may take 50 ms to show. */
#define LOOK_MS 20
/* Records between two looks at signals, the clock and the output. */
#define BATCH 4096

struct run {
	const struct recorded *recorded;
	struct tool *tool;
	struct loop loop;
	bool ended;			/* nothing is recorded any more */
	struct tally tally;		/* filtered and unread; the rest at the end */
	uint64_t rows;			/* printed, written or not */
	uint64_t broken;		/* records that were not understood */
	uint64_t lost_told;
	int64_t lost_told_ms;
	struct brake brake;
};

void recorded_event__set_task(struct recorded_event *event, uint64_t ts_ns, uint32_t pid, uint32_t tid, const char *comm)
{
	event->task = (struct event_task){ .ts_ns = ts_ns, .pid = pid, .tid = tid, .reserved = TASK_NO_USER };
	if (!tid)
		snprintf(event->task.comm, sizeof(event->task.comm), "swapper/%u", event->cpu);
	else if (comm)
		memcpy(event->task.comm, comm, strnlen(comm, sizeof(event->task.comm)));
	else	/* as the kernel's own trace has it */
		strcpy(event->task.comm, "<...>");
}

/* Whether the tasks' numbers mean in records what they mean to the caller.  tool->err. */
static int check_namespace(const struct recorded *recorded, struct tool *tool)
{
	if (tool->filter.pidns_ino)
		return tool__fail(tool, -EOPNOTSUPP, "%s: records tell the tasks' numbers in the initial pid namespace, and this is "
				  "another one", recorded->label);
	return 0;
}

/* Ends the recording, once. */
static void end_recording(struct run *run)
{
	if (!run->ended)
		run->recorded->ops->end(run->recorded->ctx);
	run->ended = true;
}

/* Told at once, at most once a second. */
static void tell_losses(struct run *run)
{
	int64_t now = loop__now_ms();
	uint64_t lost;

	if (now - run->lost_told_ms < 1000 || run->recorded->ops->lost(run->recorded->ctx, &lost))
		return;
	run->lost_told_ms = now;
	/* it may be an estimate that becomes smaller (lib/ftrace/call_pairs.h) */
	lost = count__rise(&run->lost_told, lost);
	if (lost)
		say("lost %llu events: the reader is too slow (try a filter, a larger --buffer, or nice -n -5)", (unsigned long long)lost);
}

/* Also what is dropped or lost takes time: where more comes than the machine may be slowed down by, the run ends.  tool->err. */
static int look_at_rate(struct run *run)
{
	uint64_t lost;

	if (!run->ended && brake__is_due(&run->brake, run->tool) && !run->recorded->ops->lost(run->recorded->ctx, &lost))
		brake__check(&run->brake, run->tool, run->rows + run->tally.filtered.value + run->tally.unread + lost);
	return run->tool->err;
}

/* While a write to the output blocks: the recording ends on time all the same, and where too much comes. */
static void on_blocked(void *ctx)
{
	struct run *run = ctx;
	bool is_over = loop__is_past_deadline(&run->loop);

	/* in one file with the rows, part of a row may be written: the message would stand in its middle */
	if (!is_over && !sink__is_same_file(&run->tool->out.sink, STDERR_FILENO))
		is_over = look_at_rate(run);
	if (is_over)
		end_recording(run);
}

static bool is_enough(const struct run *run)
{
	return run->tool->out.error || (run->tool->events_max && run->rows >= run->tool->events_max);
}

/* A line where rows are missing. */
static void print_lost(struct run *run, const struct recorded_event *event)
{
	struct tool *tool = run->tool;
	char line[160], number[24];
	int length;

	snprintf(number, sizeof(number), "%llu", (unsigned long long)event->lost);
	if (tool->out.json)
		length = snprintf(line, sizeof(line), "{\"type\":\"lost\",\"tool\":\"%s\",\"lost\":{\"cpu\":%u,\"events\":%s}}",
				  tool->name, event->cpu, event->lost ? number : "null");
	else
		length = snprintf(line, sizeof(line), "-- %s lost here, on CPU %u --", event->lost ? number : "some", event->cpu);
	out__line(&tool->out, line, (size_t)length);
}

static void take(struct run *run, const struct recorded_event *event)
{
	const struct recorded *recorded = run->recorded;
	struct tool *tool = run->tool;

	if (event->lost_some && !is_enough(run))
		print_lost(run, event);
	/* what the tool does itself is no event */
	if (event->is_none || event->task.pid == tool->filter.self)
		return;
	if (!task_filter__passes(&tool->filter, &event->task)) {
		count__add(&run->tally.filtered, 1);
	} else if (is_enough(run)) {
		run->tally.unread++;
	} else if (recorded->ops->print(recorded->ctx, tool, event)) {
		run->broken++;
	} else {
		out__end(&tool->out);
		run->rows++;
	}
}

/* Reads what is there, at most a batch.  How many events, or -errno. */
static int read_batch(struct run *run)
{
	struct recorded_event event;
	int count, more = 1;

	for (count = 0; count < BATCH; count++) {
		event = (struct recorded_event){ .lost_some = false };
		more = run->recorded->ops->next(run->recorded->ctx, &event);
		if (more <= 0)
			break;
		take(run, &event);
	}
	out__flush(&run->tool->out);
	return more < 0 ? more : count;
}

static bool is_over(const struct run *run)
{
	return loop__is_over(&run->loop) || is_enough(run) || run->tool->err;
}

/* tool->err */
static int start_output(struct run *run)
{
	struct tool *tool = run->tool;

	tool->out.sink.on_blocked = on_blocked;
	tool->out.sink.on_blocked_ctx = run;
	if (tool__begin_rows(tool, &run->loop))
		return tool->err;
	out__header(&tool->out);
	tool__print_start(tool);
	out__flush(&tool->out);
	brake__start(&run->brake);
	return 0;
}

static void print_summary(struct run *run)
{
	const struct recorded *recorded = run->recorded;
	struct tally *tally = &run->tally;
	uint64_t lost = 0;

	if (recorded->ops->lost(recorded->ctx, &lost))
		tool__fail(run->tool, -EIO, "%s: what was lost cannot be read", recorded->label);
	tally->lost = count__exact(lost + run->broken);
	tally->delivered = run->tool->out.rows_written;
	tally->unread += count__minus(run->rows, tally->delivered);
	if (recorded->ops->missed_why)
		tally->missed = count__unknown(recorded->ops->missed_why);
	if (recorded->filters)
		tally->filtered = count__at_least(tally->filtered.value, NULL);
	tool__print_summary(run->tool, tally);
}

int recorded__run(struct recorded *recorded, struct tool *tool)
{
	struct run run = { .recorded = recorded, .tool = tool, .loop = { .out = &tool->out } };
	int count = 0, err;

	if (tool->err)
		return tool->err;
	if (check_namespace(recorded, tool))
		return tool->err;
	if (recorded->ops->start(recorded->ctx, tool) || start_output(&run))
		goto out;
	while (!is_over(&run) && count >= 0) {
		count = read_batch(&run);
		tell_losses(&run);
		look_at_rate(&run);
		if (count < BATCH && count >= 0 && !is_over(&run))
			loop__sleep(&run.loop, -1, LOOK_MS);
	}
	end_recording(&run);
	while (count >= 0 && (count = read_batch(&run)) > 0)
		;
	if (count < 0)
		tool__fail(tool, count, "%s: the ring buffers cannot be read: %s", recorded->label, strerror(-count));
	print_summary(&run);
out:
	err = recorded->ops->close(recorded->ctx);
	if (err < 0)
		tool__fail(tool, err, "an instance in tracefs cannot be removed now (the next start removes it): %s", strerror(-err));
	return tool->err;
}
