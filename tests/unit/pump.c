/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/run/pump: the loop ends, and cuts its intervals, with a source that never runs dry. */
#include "lib/run/pump.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "check.h"

/* A source for one run. */
struct endless {
	uint64_t records, records_max;		/* of is_enough() */
	uint64_t left;				/* so many are there when it has ended */
	uint64_t raise_at;			/* a signal comes with this record; 0: none */
	uint64_t changed_at;			/* somebody changes it then */
	bool has_ended, is_dry;
	int dues, dues_max, ends;
	struct source source;
	struct tool tool;
	struct pump pump;
};

static int take(void *ctx, struct batch *batch)
{
	struct endless *endless = ctx;

	while (!batch__is_over(batch)) {
		if (endless->is_dry || (endless->has_ended && !endless->left))
			return 0;
		endless->left -= endless->has_ended;
		if (++endless->records == endless->raise_at)
			raise(SIGTERM);
		batch__add(batch, 1);
	}
	return 0;
}

static void end(void *ctx)
{
	struct endless *endless = ctx;

	endless->ends++;
	endless->has_ended = true;
}

static bool is_enough(void *ctx)
{
	const struct endless *endless = ctx;

	return endless->records_max && endless->records >= endless->records_max;
}

static uint64_t count_seen(void *ctx)
{
	const struct endless *endless = ctx;

	return endless->records;
}

static bool on_due(void *ctx)
{
	struct endless *endless = ctx;

	endless->source.due_ms += 20;
	return ++endless->dues == endless->dues_max;
}

static int is_intact(void *ctx, struct fault *fault)
{
	const struct endless *endless = ctx;

	if (!endless->changed_at || endless->records < endless->changed_at)
		return 0;
	return fault__set(fault, -ESTALE, "somebody has changed it");
}

static const struct tool_about about = { .name = "unit" };

/* Runs it.  duration_ms: -d, or 0. */
static void run(struct endless *endless, int64_t duration_ms)
{
	struct tool *tool = &endless->tool;

	tool->about = &about;
	tool->out.sink.fd = open("/dev/null", O_WRONLY);
	endless->left = 10000;
	endless->source.ctx = endless;
	endless->source.what = "the source";
	endless->source.wake_fd = -1;
	endless->source.look_ms = 10000;
	endless->source.read = take;
	endless->source.end = end;
	endless->source.is_enough = is_enough;
	endless->source.on_due = on_due;
	endless->source.is_intact = is_intact;
	pump__init(&endless->pump, tool, &endless->source);
	endless->pump.loop.deadline_ms = duration_ms ? loop__now_ms() + duration_ms : 0;
	pump__run(&endless->pump);
	/* whatever has ended it: the source was ended, once, and all is read */
	CHECK_INT(endless->ends, 1);
	CHECK_INT(endless->left, endless->is_dry ? 10000 : 0);
	close(tool->out.sink.fd);
}

int main(void)
{
	struct endless enough = { .records_max = 100000 }, late = { 0 }, changed = { .changed_at = 1 };
	struct endless dry = { .is_dry = true, .dues_max = 2 }, due = { .dues_max = 3 }, fast = { .source.seen = count_seen };
	struct endless stopped = { .raise_at = 1000000 };

	run(&enough, 0);
	CHECK(enough.records >= 100000 + 10000 && enough.records < 100000 + 10000 + BATCH_RECORDS);
	CHECK_INT(enough.tool.err, 0);
	run(&late, 50);
	CHECK_INT(late.tool.err, 0);
	/* each interval is cut, and the last one ends the run; with one that sleeps, too */
	due.source.due_ms = loop__now_ms() + 20;
	run(&due, 0);
	CHECK_INT(due.dues, 3);
	dry.source.due_ms = loop__now_ms() + 20;
	run(&dry, 0);
	CHECK_INT(dry.dues, 2);
	run(&changed, 0);
	CHECK_INT(changed.tool.err, -ESTALE);
	CHECK(changed.pump.watch.is_broken);
	fast.tool.options.rate_max = 1000;
	run(&fast, 0);
	CHECK_INT(fast.tool.err, -EBUSY);
	/* the last one: a signal stays */
	loop__catch_signals();
	run(&stopped, 0);
	CHECK(stopped.records >= 1000000 + 10000 && stopped.records <= 1000000 + 10000 + BATCH_LOOK);
	CHECK_INT(stopped.tool.err, 0);
	return check_done();
}
