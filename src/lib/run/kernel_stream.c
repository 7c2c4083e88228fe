/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel_stream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counting.h"
#include "privileges.h"
#include "pump.h"
#include "tally.h"
#include "task_filter.h"

/* Between two looks at the buffers; a row may take 50 ms to show. */
#define LOOK_MS 20
#define LOST_MS 500		/* a file for each CPU */

struct run {
	const struct kernel_stream *stream;
	struct tool *tool;
	struct source source;
	struct pump pump;
	struct tally tally;		/* filtered and unread; the rest at the end */
	uint64_t rows;			/* printed, written or not */
	uint64_t broken;		/* records that were not understood */
};

void stream_event__set_task(struct stream_event *event, uint64_t ts_ns, uint32_t pid, uint32_t tid, const char *comm)
{
	event->task = (struct event_task){ .ts_ns = ts_ns, .pid = pid, .tid = tid, .reserved = TASK_NO_USER };
	if (!tid)
		snprintf(event->task.comm, sizeof(event->task.comm), "swapper/%u", event->cpu);
	else if (comm)
		memcpy(event->task.comm, comm, strnlen(comm, sizeof(event->task.comm)));
	else	/* as the kernel's own trace has it */
		strcpy(event->task.comm, "<...>");
}

/* Whether the tasks' numbers, if there are any, mean in records what they mean to the caller.  tool->err. */
static int check_namespace(const struct kernel_stream *stream, struct tool *tool)
{
	if (tool->options.filter.pidns_ino && !tool->about->no_task)
		return tool__fail(tool, -EOPNOTSUPP, "%s: records have the tasks' numbers of the initial pid namespace, and this is "
				  "another one", stream->label);
	return 0;
}

static bool is_enough(void *ctx)
{
	const struct run *run = ctx;

	return run->tool->out.error || (run->tool->options.events_max && run->rows >= run->tool->options.events_max);
}

/* A line where rows are missing. */
static void print_lost(struct run *run, const struct stream_event *event)
{
	struct tool *tool = run->tool;
	char line[160], number[24];
	int length;

	snprintf(number, sizeof(number), "%llu", (unsigned long long)event->lost);
	if (tool->out.json)
		length = snprintf(line, sizeof(line), "{\"type\":\"lost\",\"tool\":\"%s\",\"lost\":{\"cpu\":%u,\"events\":%s}}",
				  tool->about->name, event->cpu, event->lost ? number : "null");
	else
		length = snprintf(line, sizeof(line), "-- %s lost here, on CPU %u --", event->lost ? number : "some", event->cpu);
	out__line(&tool->out, line, (size_t)length);
}

static void take(struct run *run, const struct stream_event *event)
{
	const struct kernel_stream *stream = run->stream;
	struct tool *tool = run->tool;

	if (event->lost_some && !is_enough(run))
		print_lost(run, event);
	/* what the tool does itself is no event */
	if (event->is_none || event->task.pid == tool->options.filter.self)
		return;
	if (event->is_filtered || !task_filter__passes(&tool->options.filter, &event->task)) {
		count__add(&run->tally.filtered, 1);
	} else if (is_enough(run)) {
		run->tally.unread++;
	} else if (stream->ops->print(stream->ctx, tool, event)) {
		run->broken++;
	} else {
		out__end(&tool->out);
		run->rows++;
	}
}

static int read_events(void *ctx, struct batch *batch)
{
	struct run *run = ctx;
	int more = 1;

	while (!batch__is_over(batch)) {
		struct stream_event event = { .lost_some = false };

		more = run->stream->ops->next(run->stream->ctx, &event);
		if (more <= 0)
			break;
		take(run, &event);
		batch__add(batch, 1);
	}
	return more < 0 ? more : 0;
}

static void end(void *ctx)
{
	const struct run *run = ctx;

	run->stream->ops->end(run->stream->ctx);
}

static int count_lost(void *ctx, struct losses *losses)
{
	const struct run *run = ctx;

	return run->stream->ops->lost(run->stream->ctx, &losses->all);
}

static uint64_t count_seen(void *ctx)
{
	const struct run *run = ctx;
	uint64_t read = run->rows + run->tally.filtered.value + run->tally.unread;
	uint64_t seen = run->stream->ops->seen ? run->stream->ops->seen(run->stream->ctx) : 0;

	/* the kernel may have dropped some of them, and others are not read yet */
	return seen > read ? seen : read;
}

/* Whether the run ends: rows that are there are still shown. */
static bool is_over(void *ctx)
{
	const struct kernel_stream *stream = ((const struct run *)ctx)->stream;

	return is_enough(ctx) || (stream->ops->is_over && stream->ops->is_over(stream->ctx));
}

static int is_intact(void *ctx, struct fault *fault)
{
	const struct run *run = ctx;

	return run->stream->ops->is_intact ? run->stream->ops->is_intact(run->stream->ctx, fault) : 0;
}

static void print_summary(struct run *run)
{
	const struct kernel_stream *stream = run->stream;
	struct tally *tally = &run->tally;
	uint64_t lost = 0;

	if (stream->ops->lost(stream->ctx, &lost))
		tool__fail(run->tool, -EIO, "%s: what was lost cannot be read", stream->label);
	tally->lost = count__exact(lost + run->broken);
	tally->delivered = tool__rows_done(run->tool);
	tally->unread += count__minus(run->rows, tally->delivered);
	if (stream->ops->missed_why)
		tally->missed = count__unknown(stream->ops->missed_why);
	if (stream->ops->add_counts)
		stream->ops->add_counts(stream->ctx, tally);
	if (stream->filters)
		tally->filtered = count__at_least(tally->filtered.value, NULL);
	watch__tally(&run->pump.watch, tally);
	tool__print_summary(run->tool, tally);
}

int kernel_stream__run(struct kernel_stream *stream, struct tool *tool)
{
	struct run run = { .stream = stream, .tool = tool };
	char what[64];
	int err;

	if (tool->err)
		return tool->err;
	if (check_namespace(stream, tool))
		return tool->err;
	snprintf(what, sizeof(what), "%s: the ring buffers", stream->label);
	run.source = (struct source){
		.ctx = &run, .what = what, .hint = "try a filter, a larger --buffer, or nice -n -5", .wake_fd = -1,
		.look_ms = stream->look_ms ?: LOOK_MS,
		.read = read_events, .end = end, .is_enough = is_over, .lost = count_lost, .lost_ms = LOST_MS, .seen = count_seen,
		.is_intact = is_intact,
	};
	if (!stream->ops->start(stream->ctx, tool) && !pump__start(&run.pump, tool, &run.source, PRIVILEGES_TRACEFS)) {
		if (stream->ops->wake_fd)
			run.source.wake_fd = stream->ops->wake_fd(stream->ctx);
		pump__run(&run.pump);
		if (stream->ops->tell)
			stream->ops->tell(stream->ctx, tool);
		if (tool->before_summary)
			tool->before_summary(tool);
		print_summary(&run);
	}
	err = stream->ops->close(stream->ctx);
	if (err < 0)
		tool__fail(tool, err, "an instance in tracefs cannot be removed now (the next start removes it): %s", strerror(-err));
	return tool->err;
}
