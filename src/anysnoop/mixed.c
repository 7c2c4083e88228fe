/* SPDX-License-Identifier: BSD-2-Clause */
#include "mixed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "anysnoop.h"
#include "lib/ftrace/stream.h"
#include "lib/kernel/clock.h"
#include "lib/loop/batch.h"
#include "lib/print/say.h"
#include "lib/run/reader.h"
#include "lib/run/tally.h"

/* Events of programs that wait for older records.  Beyond that they stay in the ring buffer, and what finds no room there is counted. */
#define QUEUE_MAX 65536

struct queued {
	struct anysnoop_event *event;	/* with its values; or a struct between_event, which begins in the same way */
	size_t size;
};

struct run {
	struct tool *tool;
	tool_print_event print_event;
	struct kernel_stream *records;		/* ftrace's */
	struct flight *flight;			/* it is not read while it runs, and a program sees what ends it; NULL: it is */
	struct kernel_stream stream;		/* of both */
	struct event_stats *stats;
	struct reader reader;
	struct source unused;			/* reader__read() sets how long to sleep in it; the stream has its own way */
	struct queued *queue;			/* from first on, by time */
	size_t first, queued, room;
	bool has_record;
	struct stream_event record;		/* the next one of records, if there is one */
	struct queued shown;			/* the last one that was given; its event is NULL: it was a record */
	struct tally tally;			/* what programs missed */
	bool ended;
};

/* ---- events of programs */

/* In the order of time: a CPU may send an event a moment after a younger one of another CPU. */
static void put_in_order(struct run *run, struct queued next)
{
	size_t at = run->queued;

	for (; at > run->first && run->queue[at - 1].event->task.ts_ns > next.event->task.ts_ns; at--)
		run->queue[at] = run->queue[at - 1];
	run->queue[at] = next;
	run->queued++;
}

/* Room for one more.  0 or -ENOMEM. */
static int make_room(struct run *run)
{
	struct queued *queue;

	if (run->first == run->queued)
		run->first = run->queued = 0;
	if (run->queued < run->room)
		return 0;
	if (run->first >= run->room / 2 && run->room) {
		memmove(run->queue, run->queue + run->first, (run->queued - run->first) * sizeof(*queue));
		run->queued -= run->first;
		run->first = 0;
		return 0;
	}
	queue = realloc(run->queue, (2 * run->room + 256) * sizeof(*queue));
	if (!queue)
		return -ENOMEM;
	run->queue = queue;
	run->room = 2 * run->room + 256;
	return 0;
}

static void keep_event(void *ctx, const void *event, size_t size)
{
	const struct anysnoop_event *any = event;
	struct run *run = ctx;
	struct queued next = { NULL, size };

	if (run->flight && !flight__takes(run->flight, any->task.ts_ns))
		return;
	next.event = malloc(size);
	if (!next.event || make_room(run)) {
		free(next.event);
		tool__fail(run->tool, -ENOMEM, "no memory for events");
		return;
	}
	memcpy(next.event, event, size);
	put_in_order(run, next);
}

/* Keeps what is in the ring buffer; then records are wanted up to the time at which all older events were in it.  0 or -errno. */
static int look(struct run *run)
{
	uint64_t now = now_ns();
	struct batch batch;
	int err;

	if (run->queued - run->first >= QUEUE_MAX)
		return 0;
	batch__begin(&batch, BATCH_RECORDS, BATCH_MS);
	err = run->ended ? reader__read_last(&run->reader, &batch) : reader__read(&run->reader, &run->unused, &batch);
	if (!err && !batch.is_over)
		via__set_limit(run->records, run->ended && !batch.count ? UINT64_MAX : now - STREAM_LATE_NS);
	return err ? err : run->tool->err;
}

/* ---- both */

static void give_queued(struct run *run, struct stream_event *event)
{
	run->shown = run->queue[run->first++];
	*event = (struct stream_event){ .task = run->shown.event->task, .cpu = run->shown.event->cpu };
}

static void give_record(struct run *run, struct stream_event *event)
{
	run->has_record = false;
	*event = run->record;
}

/* Gives what is older: an event, or a record.  1, or 0 where it is not known yet, or -errno. */
static int choose(struct run *run, struct stream_event *event)
{
	const struct queued *oldest = run->first < run->queued ? &run->queue[run->first] : NULL;
	int more = 1;

	if (!run->has_record) {
		run->record = (struct stream_event){ .lost_some = false };
		more = run->records->ops->next(run->records->ctx, &run->record);
		if (more < 0)
			return more;
		run->has_record = more;
	}
	if (oldest && oldest->event->task.ts_ns <= (more ? run->record.task.ts_ns : via__known_until(run->records)))
		give_queued(run, event);
	else if (more)
		give_record(run, event);
	else
		return 0;
	return 1;
}

static int next(void *ctx, struct stream_event *event)
{
	struct run *run = ctx;
	int more;

	free(run->shown.event);
	run->shown.event = NULL;
	more = choose(run, event);
	if (!more)
		more = look(run);
	return more ? more : choose(run, event);
}

static int print(void *ctx, struct tool *tool, const struct stream_event *event)
{
	const struct run *run = ctx;

	if (!run->shown.event)
		return run->records->ops->print(run->records->ctx, tool, event);
	run->print_event(tool, run->shown.event, run->shown.size);
	return 0;
}

static int start(void *ctx, struct tool *tool)
{
	struct run *run = ctx;
	const struct bpf_object *object;
	int err;

	if (!tool->loaded && tool__load(tool))
		return tool->err;
	object = *tool->skeleton->obj;
	if (run->records->ops->start(run->records->ctx, tool))
		return tool->err;
	via__set_limit(run->records, 0);
	run->stream.filters = run->records->filters;
	if (tool__attach(tool))
		return tool->err;
	run->stats = tally__map(object);
	err = run->stats ? reader__open(&run->reader, &tool->rings, 0) : -ENOENT;
	return err ? tool__fail(tool, err, "the ring buffer cannot be mapped: %s", strerror(-err)) : 0;
}

static void end(void *ctx)
{
	struct run *run = ctx;
	struct batch batch;
	int err = 0;

	run->ended = true;
	tool__end_programs(run->tool, run->stats, &run->tally);
	/* the event that ends the recording may wait in the ring buffer */
	batch__begin(&batch, BATCH_RECORDS, BATCH_MS);
	if (run->flight)
		err = reader__read_last(&run->reader, &batch);
	if (err)
		tool__fail(run->tool, err, "the ring buffer cannot be read: %s", strerror(-err));
	run->records->ops->end(run->records->ctx);
}

static int lost(void *ctx, uint64_t *count)
{
	const struct run *run = ctx;
	int err = run->records->ops->lost(run->records->ctx, count);
	struct tally tally;

	tally__read(&tally, run->stats);
	*count += tally.lost.value;
	return err;
}

/* What programs dropped, and did not see. */
static void add_counts(void *ctx, struct tally *tally)
{
	const struct run *run = ctx;
	struct tally programs;

	tally__read(&programs, run->stats);
	count__add(&tally->filtered, programs.filtered.value);
	count__add(&tally->missed, run->tally.missed.value);
}

static int is_intact(void *ctx, struct fault *fault)
{
	const struct run *run = ctx;

	return run->records->ops->is_intact(run->records->ctx, fault);
}

static int wake_fd(void *ctx)
{
	const struct run *run = ctx;

	return run->records->ops->wake_fd(run->records->ctx);
}

static bool is_over(void *ctx)
{
	const struct run *run = ctx;

	return run->records->ops->is_over(run->records->ctx);
}

static void tell(void *ctx, struct tool *tool)
{
	const struct run *run = ctx;

	run->records->ops->tell(run->records->ctx, tool);
}

static int close_both(void *ctx)
{
	struct run *run = ctx;

	if (run->tool->err && !run->ended)
		tool__prepare_detach(run->tool);
	reader__free(&run->reader);
	free(run->shown.event);
	while (run->first < run->queued)
		free(run->queue[run->first++].event);
	free(run->queue);
	return run->records->ops->close(run->records->ctx);
}

int mixed__run(const struct via *via, struct tool *tool, tool_print_event print_event)
{
	struct via recorded = *via;
	struct run run = {
		.tool = tool, .print_event = print_event, .flight = via->flight,
		.reader = { .out = &tool->out, .print = keep_event, .ctx = &run, .takes_all = true },
	};
	struct kernel_stream_ops ops = {
		.start = start, .next = next, .print = print, .end = end, .lost = lost, .add_counts = add_counts,
		.is_intact = is_intact, .close = close_both, .wake_fd = via->flight ? wake_fd : NULL,
		.is_over = via->flight ? is_over : NULL, .tell = via->flight ? tell : NULL,
	};

	recorded.consumer = VIA_FTRACE;
	run.records = via__open_stream(&recorded);
	if (!run.records)
		return tool__fail(tool, -ENOMEM, "no memory for the records");
	ops.missed_why = run.records->ops->missed_why;
	run.stream = (struct kernel_stream){ .ops = &ops, .ctx = &run, .label = run.records->label };
	kernel_stream__run(&run.stream, tool);
	via__close_stream(run.records);
	return tool->err;
}
