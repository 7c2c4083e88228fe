/* SPDX-License-Identifier: BSD-2-Clause */
/* The run of a tool that prints events (tool__run). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "brake.h"
#include "calls.h"
#include "lib/layout/layout.h"
#include "lib/print/json.h"
#include "lib/probe/attach.h"
#include "lib/probe/links.h"
#include "lib/probe/missed.h"
#include "loop.h"
#include "privileges.h"
#include "reader.h"
#include "row_stacks.h"
#include "tally.h"
#include "tool.h"

void tool__print_start(struct tool *tool)
{
	char time[WALLCLOCK_SIZE], release[sizeof(((struct utsname *)0)->release) * 6 + 3], *text, *probes = NULL;
	struct utsname kernel = { .release = "" };
	int length;

	if (!tool->out.json)
		return;
	if (uname(&kernel))
		*kernel.release = 0;
	wallclock__write_now(time);
	*json__quote(release, kernel.release, strlen(kernel.release)) = 0;
	if (tool->attach)
		probes = attach__json(tool->attach);
	length = asprintf(&text, "{\"type\":\"start\",\"start\":{\"schema\":%d,\"tool\":\"%s\",\"version\":\"%s\",\"kernel\":%s,"
			  "\"time\":\"%s\"%s%s}}", TOOL_JSON_SCHEMA, tool->name, PROBELIGHT_VERSION, release, time,
			  probes ? probes : "", tool->start_members ? tool->start_members : "");
	free(probes);
	if (length < 0)
		return;
	out__line(&tool->out, text, (size_t)length);
	free(text);
}

/* A closed pipe is how "| head" says enough; any other output error is a failure. */
static void check_output(struct tool *tool)
{
	const char *error = out__error(&tool->out);

	if (error)
		tool__fail(tool, tool->out.error, "%s", error);
}

/* The cgroup of -c is gone, and another one that was made under its path was not followed. */
static void tell_removed_cgroup(const struct tool *tool)
{
	int fd = openat(tool->cgroup_fd, "cgroup.procs", O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	else
		say("-c: the cgroup has been removed; one that is made again is not followed here (it needs Linux 5.15, no cgroup "
		    "namespace, and a path of less than 256 bytes)");
}

void tool__print_summary(struct tool *tool, const struct tally *tally)
{
	char numbers[TALLY_TEXT_SIZE], line[TALLY_TEXT_SIZE + 96];
	int length;

	if (tool->cgroup_fd >= 0 && !tool->filter.cgroup_level)
		tell_removed_cgroup(tool);
	tally__text(tally, numbers);
	loop__await_stderr();
	say("%s", numbers);
	if (tool->out.json) {
		tally__json(tally, numbers);
		length = snprintf(line, sizeof(line), "{\"type\":\"summary\",\"tool\":\"%s\",\"summary\":%s}", tool->name, numbers);
		out__line(&tool->out, line, (size_t)length);
		out__flush(&tool->out);
	}
	if (!tool->err)
		check_output(tool);
	tool->exit_status = tool->strict && tally__is_short(tally) ? TOOL_EXIT_LOST : TOOL_EXIT_DONE;
}

/* A run, for the callbacks of its reader. */
struct run {
	struct tool *tool;
	tool_print_event print_event;
	struct event_stats *stats;
	struct tally tally;		/* missed is known once it is detached, the rest at the end */
	bool detached;
	struct reader *reader;
	struct brake brake;
};

static void print(void *ctx, const void *event, size_t size)
{
	const struct run *run = ctx;
	const struct event_task *task = event;
	struct tool *tool = run->tool;

	run->print_event(tool, event, size);
	if (tool->end_rows)
		return;
	if (tool->row_stacks)
		tool->row_stacks_calls->put(tool->row_stacks, tool->stacks_come_before ? tool->stack_ns : task->ts_ns, task->tid,
					    tool->stacks_come_before, &tool->out);
	out__end(&tool->out);
}

bool tool__prepare_detach(struct tool *tool)
{
	int off = tool->attach ? attach__before_detach(tool->attach) : 0;

	if (off > 0)
		say("function hooks were switched off, events are missing: kernel.ftrace_enabled is 0 (it is set to 1 while the "
		    "probes are removed, which is not safe otherwise)");
	if (off < 0) {
		say("the probes cannot be removed safely while kernel.ftrace_enabled is 0: %s (waiting for: sysctl "
		    "kernel.ftrace_enabled=1)", strerror(-off));
		attach__await_switch(tool->attach);
	}
	return off;
}

/* Ends the tracing, once.  Events that are in the ring are still to be read. */
static void detach(void *ctx)
{
	struct run *run = ctx;
	struct tool *tool = run->tool;
	uint64_t nothing = 0;
	bool hooks_off;

	if (run->detached)
		return;
	run->detached = true;
	tally__close(run->stats);
	hooks_off = tool__prepare_detach(tool);
	/* before the others are read: a count that still grows is then never smaller than its part */
	if (tool->missed_for_nothing)
		nothing = tool->missed_for_nothing(tool->skeleton);
	calls__count_missed(&run->tally, run->stats, tool->skeleton, true);
	run->tally.missed.value = count__minus(run->tally.missed.value, nothing);
	if (hooks_off)
		count__doubt(&run->tally.missed, TALLY_HOOKS_OFF);
	links__detach(tool->skeleton);
}

/* Also what was dropped takes time: where more comes than the machine may be slowed down by, the run ends. */
static bool is_too_much(void *ctx)
{
	struct run *run = ctx;
	struct tally tally;

	if (!run->detached && brake__is_due(&run->brake, run->tool)) {
		uint64_t events = run->reader->events + run->reader->unread;

		tally__read(&tally, run->stats);
		/* a call's begin and its return */
		if (run->tool->end_rows)
			events /= 2;
		brake__check(&run->brake, run->tool, events + tally.lost.value + tally.filtered.value);
	}
	return run->tool->err;
}

static bool look(void *ctx)
{
	const struct run *run = ctx;
	struct tool *tool = run->tool;

	if (tool->row_stacks && tool->stacks_come_before)
		tool->row_stacks_calls->read(tool->row_stacks);
	/* where an event is no row, the reader cannot tell */
	if (tool->end_rows && tool->events_max && tool->out.rows_written + tool->out.rows_pending >= tool->events_max)
		return true;
	return (tool->rate_max && is_too_much(ctx)) || tool->err;
}

void tool__tell_no_room(const struct tool *tool, uint64_t events)
{
	say("lost %llu events: more calls are under way at the same time than the tool can keep (try %s%s)",
	    (unsigned long long)events, tool->room_option ? "a larger " : "a filter", tool->room_option ? tool->room_option : "");
}

static void tell_lost(void *ctx, uint64_t lost, uint64_t no_room)
{
	const struct run *run = ctx;

	if (no_room)
		tool__tell_no_room(run->tool, no_room);
	lost = count__minus(lost, no_room);
	if (lost)
		say("lost %llu events: the reader is too slow (try a filter, a larger --buffer, or nice -n -5)", (unsigned long long)lost);
}

static void name_rows(struct tool *tool)
{
	tool->out.columns = tool->columns;
	tool->out.record = "event";
	tool->out.tool = tool->name;
	tool->out.sink.should_stop = loop__is_stopping;
}

int tool__begin_rows(struct tool *tool, struct loop *loop)
{
	int err;

	name_rows(tool);
	if (out__open(&tool->out))
		return tool__fail(tool, -ENOMEM, "no memory for the output");
	if (tool->duration_ns)
		loop->deadline_ms = loop__now_ms() + (int64_t)(tool->duration_ns / 1000000);
	loop__start_tick();
	err = privileges__drop(tool->filter.wants_cgroup ? PRIVILEGES_CGROUPS : PRIVILEGES_NONE);
	return err ? tool__fail(tool, err, "capabilities cannot be dropped: %s", strerror(-err)) : 0;
}

/* Prepares what tool__run needs beyond the programs.  tool->err. */
static int open_output(struct tool *tool, struct run *run, struct reader *reader)
{
	int err;

	run->stats = tally__map(*tool->skeleton->obj);
	err = run->stats ? reader__open(reader, *tool->skeleton->obj, run->stats) : -ENOENT;
	if (err)
		return tool__fail(tool, err, "the ring buffer cannot be mapped: %s", strerror(-err));
	name_rows(tool);
	tool->out.sink.on_blocked = reader__on_blocked;
	tool->out.sink.on_blocked_ctx = reader;
	if (tool->stacks_asked) {
		err = tool->row_stacks_calls->open(&tool->row_stacks, tool->stacks_asked, *tool->skeleton->obj);
		if (err)
			return tool__fail(tool, err, "stacks cannot be read: %s", strerror(-err));
	}
	err = out__open(&tool->out);
	return err ? tool__fail(tool, err, "no memory for the output") : 0;
}

int tool__run(struct tool *tool, void *skel, tool_print_event print_event)
{
	struct loop loop = { .out = &tool->out };
	struct reader reader = {
		.loop = &loop, .print = print, .tell_lost = tell_lost, .on_deadline = detach,
		.events_max = tool->end_rows ? 0 : tool->events_max, .takes_all = tool->end_rows, .is_slow = tool->stacks_asked,
		.look = tool->rate_max || tool->stacks_come_before || tool->end_rows ? look : NULL, .look_ms = BRAKE_PERIOD_MS,
	};
	struct run run = { .tool = tool, .print_event = print_event, .reader = &reader };
	int err = 0;

	reader.ctx = &run;
	if (tool->err || (!tool->skeleton && !tool__opened(tool, skel)))
		return tool->err;
	if (!tool->loaded && tool__load(tool))
		return tool->err;
	if (tool__attach(tool) || open_output(tool, &run, &reader))
		goto out;
	if (tool->duration_ns)
		loop.deadline_ms = loop__now_ms() + (int64_t)(tool->duration_ns / 1000000);
	loop__start_tick();
	err = privileges__drop((tool->row_stacks ? PRIVILEGES_BPF | PRIVILEGES_PROCESSES : PRIVILEGES_NONE) |
			       (tool->filter.wants_cgroup ? PRIVILEGES_CGROUPS : PRIVILEGES_NONE));
	if (err) {
		tool__fail(tool, err, "capabilities cannot be dropped: %s", strerror(-err));
		goto out;
	}
	out__header(&tool->out);
	tool__print_start(tool);
	brake__start(&run.brake);
	if (!out__flush(&tool->out))
		err = reader__run(&reader);
	if (err)
		tool__fail(tool, err, "the ring buffer cannot be read: %s", strerror(-err));
	detach(&run);
	reader__drain(&reader);
	tally__read(&run.tally, run.stats);
	run.tally.unread = reader.unread + reader.events;
	if (tool->end_rows) {
		run.tally.unread = tool->end_rows(tool, &run.tally);
		out__flush(&tool->out);
	}
	run.tally.delivered = tool->out.rows_written;
	/* also what was printed before the output failed */
	run.tally.unread = count__minus(run.tally.unread, run.tally.delivered);
	if (tool->row_stacks)
		tool->row_stacks_calls->tell(tool->row_stacks);
	if (tool->before_summary) {
		loop__await_stderr();
		tool->before_summary(tool);
	}
	tool__print_summary(tool, &run.tally);
out:
	if (tool->err && !run.detached)
		tool__prepare_detach(tool);
	reader__free(&reader);
	if (tool->row_stacks)
		tool->row_stacks_calls->free(tool->row_stacks);
	tool->row_stacks = NULL;
	return tool->err;
}
