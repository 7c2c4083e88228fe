/* SPDX-License-Identifier: BSD-2-Clause */
/* The run of a tool that prints events (tool__run). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "missed_calls.h"
#include "children.h"
#include "counting.h"
#include "gone_modules.h"
#include "lib/kernel/kernel.h"
#include "lib/layout/layout.h"
#include "lib/loop/loop.h"
#include "lib/print/json.h"
#include "lib/probe/attach.h"
#include "lib/probe/links.h"
#include "lib/probe/missed.h"
#include "lib/stacks/row_stacks.h"
#include "metrics.h"
#include "output_file.h"
#include "privileges.h"
#include "pump.h"
#include "reader.h"
#include "recording.h"
#include "show.h"
#include "tally.h"
#include "tool.h"
#include "tool_command.h"

/* The start record, which the caller frees; NULL without memory. */
static char *start_record(const struct tool *tool)
{
	char time[WALLCLOCK_SIZE], release[sizeof(((struct utsname *)0)->release) * 6 + 3], *text, *probes = NULL;
	struct utsname kernel = { .release = "" };
	int length;

	if (uname(&kernel))
		*kernel.release = 0;
	wallclock__write_now(time);
	*json__quote(release, kernel.release, strlen(kernel.release)) = 0;
	probes = tool__attached_json(tool);
	length = asprintf(&text, "{\"type\":\"start\",\"start\":{\"schema\":%d,\"tool\":\"%s\",\"version\":\"%s\",\"kernel\":%s,"
			  "\"time\":\"%s\"%s%s}}", TOOL_JSON_SCHEMA, tool->about->name, PROBELIGHT_VERSION, release, time,
			  probes ? probes : "", tool->start_members ? tool->start_members : "");
	free(probes);
	return length < 0 ? NULL : text;
}

void tool__print_start(struct tool *tool)
{
	bool is_printed = tool->out.json && !tool->options.is_quiet;
	char *text;

	if (show__is_active()) {
		show__print_start(tool);
		return;
	}
	if (!is_printed && !tool->recording)
		return;
	text = start_record(tool);
	if (text && is_printed)
		out__line(&tool->out, text, strlen(text));
	if (text && tool->recording)
		recording__begin(tool, text);
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

void tool__print_summary(struct tool *tool, const struct tally *rows)
{
	struct tally counts;
	const struct tally *tally = tool->counting ? &counts : rows;
	char numbers[TALLY_TEXT_SIZE], line[TALLY_TEXT_SIZE + 96];
	unsigned long long unfollowed = children__missed();
	int length;

	if (tool->counting)
		counting__finish(tool, rows, &counts);
	if (tool->cgroup_fd >= 0 && !tool->options.filter.cgroup_level)
		tell_removed_cgroup(tool);
	tally__text(tally, numbers);
	loop__await_stderr();
	if (unfollowed)
		say("-f: %llu new processes or threads are not followed: the kernel did not run the program for them", unfollowed);
	say("%s", numbers);
	if (tool->out.json && !tool->options.is_quiet) {
		tally__json(tally, numbers);
		length = snprintf(line, sizeof(line), "{\"type\":\"summary\",\"tool\":\"%s\",\"summary\":%s}", tool->about->name, numbers);
		out__line(&tool->out, line, (size_t)length);
		out__flush(&tool->out);
	}
	if (!tool->err)
		check_output(tool);
	tool->exit_status = tool->options.strict && (unfollowed || tally__is_short(tally)) ? TOOL_EXIT_LOST : TOOL_EXIT_DONE;
}

/* The longest sleep, also a bound on how late a loss is reported. */
#define READER_SLEEP_MS 1000

#define TELL_WAITING_MS 1000

/* A run, for the callbacks of its reader. */
struct run {
	struct tool *tool;
	tool_print_event print_event;
	struct event_stats *stats;
	struct tally tally;		/* missed is known once it is detached, the rest at the end */
	bool detached;
	int64_t told_ms;		/* when tell_waiting() was last called */
	struct reader reader;
	struct source source;
	struct pump pump;
};

static void print(void *ctx, const void *event, size_t size)
{
	const struct run *run = ctx;
	const struct event_task *task = event;
	struct tool *tool = run->tool;

	if (tool->recording)
		recording__add(tool->recording, event, size);
	run->print_event(tool, event, size);
	if (tool->end_rows)
		return;
	if (tool->row_stacks)
		tool->about->row_stacks_calls->put(tool->row_stacks,
						   tool->about->stacks_come_before ? tool->stack_ns : task->ts_ns, task->tid,
					    tool->about->stacks_come_before, &tool->out);
	out__end(&tool->out);
}

/* The same of a run whose rows nobody wants. */
static void record(void *ctx, const void *event, size_t size)
{
	const struct run *run = ctx;

	recording__add(run->tool->recording, event, size);
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

void tool__end_programs(struct tool *tool, struct event_stats *stats, struct tally *tally)
{
	uint64_t nothing = 0;
	bool hooks_off;

	tally__close(stats);
	hooks_off = tool__prepare_detach(tool);
	/* before the others are read: a count that still grows is then never smaller than its part */
	if (tool->about->missed_for_nothing)
		nothing = tool->about->missed_for_nothing(tool);
	missed_calls__count(tally, stats, tool->skeleton, true);
	tally->missed.value = count__minus(tally->missed.value, nothing);
	if (hooks_off)
		count__doubt(&tally->missed, TALLY_HOOKS_OFF);
	if (gone_modules__look())
		count__doubt(&tally->missed, GONE_MODULES_WHY);
	if (tool->missed_doubt)
		count__doubt(&tally->missed, tool->missed_doubt);
	if (tool->detach_own)
		tool->detach_own(tool);
	links__detach(tool->skeleton);
}

/* Ends the tracing, once. */
static void detach(void *ctx)
{
	struct run *run = ctx;

	if (run->detached)
		return;
	run->detached = true;
	if (run->tool->tell_waiting)
		run->tool->tell_waiting(run->tool, true);
	tool__end_programs(run->tool, run->stats, &run->tally);
}

void tool__tell_no_room(const struct tool *tool, uint64_t events)
{
	const char *option = tool->about->room_option;

	if (tool->room_is_full) {
		say("lost %llu events: %s", (unsigned long long)events, tool->room_is_full);
		return;
	}
	say("lost %llu events: more calls are under way at the same time than the tool can keep (try %s%s)",
	    (unsigned long long)events, option ? "a larger " : "a filter", option ? option : "");
}

/* About once a second. */
static void tell_waiting(struct run *run)
{
	int64_t now_ms = loop__now_ms();

	if (now_ms - run->told_ms < TELL_WAITING_MS)
		return;
	run->told_ms = now_ms;
	run->tool->tell_waiting(run->tool, false);
}

static int read_events(void *ctx, struct batch *batch)
{
	struct run *run = ctx;
	struct tool *tool = run->tool;
	int err;

	if (tool->row_stacks && tool->about->stacks_come_before)
		tool->about->row_stacks_calls->read(tool->row_stacks);
	if (tool->tell_waiting && !run->detached)
		tell_waiting(run);
	err = run->detached ? reader__read_last(&run->reader, batch) : reader__read(&run->reader, &run->source, batch);
	if (tool->recording && !batch->count)
		recording__flush(tool->recording);
	return err;
}

/* Where an event is no row, the reader cannot tell. */
static bool is_enough(void *ctx)
{
	const struct run *run = ctx;
	const struct tool *tool = run->tool;

	return reader__is_enough(&run->reader) ||
	       (tool->end_rows && tool->options.events_max && tool->events_done >= tool->options.events_max);
}

static int count_lost(void *ctx, struct losses *losses)
{
	const struct run *run = ctx;
	struct tally tally;

	tally__read(&tally, run->stats);
	*losses = (struct losses){ tally.lost.value, tally.no_room };
	return 0;
}

/* While it runs: for intervals. */
static void tally_now(void *ctx, struct tally *tally)
{
	const struct run *run = ctx;
	struct tool *tool = run->tool;
	uint64_t nothing = tool->about->missed_for_nothing ? tool->about->missed_for_nothing(tool) : 0;

	tally__read(tally, run->stats);
	missed_calls__count(tally, run->stats, tool->skeleton, false);
	tally->missed.value = count__minus(tally->missed.value, nothing);
}

/* Also what was filtered takes time. */
static uint64_t count_seen(void *ctx)
{
	const struct run *run = ctx;
	uint64_t events = run->reader.events + run->reader.unread;
	struct tally tally;

	tally__read(&tally, run->stats);
	/* a call's begin and its return */
	return (run->tool->end_rows ? events / 2 : events) + tally.filtered.value;
}

static void name_rows(struct tool *tool)
{
	tool->out.columns = tool->columns;
	tool->out.record = "event";
	tool->out.tool = tool->about->name;
	tool->out.sink.should_stop = loop__is_stopping;
}

int tool__begin_rows(struct tool *tool, struct loop *loop, unsigned int kept)
{
	int err = output_file__begin(&tool->out.sink);

	if (err)
		return tool->err = err;
	name_rows(tool);
	tool->out.repeats_header = !tool->counting;
	if ((tool->counting && counting__open(tool)) || out__open(&tool->out))
		return tool__fail(tool, -ENOMEM, "no memory for the output");
	if (tool->options.duration_ns)
		loop->deadline_ms = loop__now_ms() + (int64_t)(tool->options.duration_ns / 1000000);
	if (tool->metrics && metrics__open(tool))
		return tool->err;
	loop__start_tick();
	err = privileges__drop(kept | tool->keeps | (tool->options.filter.wants_cgroup ? PRIVILEGES_CGROUPS : PRIVILEGES_NONE));
	return err ? tool__fail(tool, err, "capabilities cannot be dropped: %s", strerror(-err)) : tool_command__start(tool);
}

/* What the run's loop does besides reading the ring buffer (privileges.h). */
static unsigned int kept_privileges(const struct tool *tool)
{
	if (tool->row_stacks)
		return PRIVILEGES_BPF | PRIVILEGES_PROCESSES;
	if (!counting_kernel__is_used(tool) && !tool->tell_waiting)
		return PRIVILEGES_NONE;
	return kernel__version() < kernel_version(5, 19, 0) ? PRIVILEGES_BPF : PRIVILEGES_NONE;
}

/* Prepares what tool__run needs beyond the programs.  tool->err. */
static int open_source(struct tool *tool, struct run *run)
{
	const struct bpf_object *object = *tool->skeleton->obj;
	int err;

	run->stats = tally__map(object);
	err = run->stats ? reader__open(&run->reader, &tool->rings, tool->about->record_max) : -ENOENT;
	if (err)
		return tool__fail(tool, err, "the ring buffer cannot be mapped: %s", strerror(-err));
	if (tool->options.stacks_asked) {
		err = tool->about->row_stacks_calls->open(&tool->row_stacks, tool->options.stacks_asked, object);
		if (err)
			return tool__fail(tool, err, "stacks cannot be read: %s", strerror(-err));
	}
	err = counting_kernel__is_used(tool) ? counting_kernel__open(tool, print, run) : 0;
	if (err)
		return tool__fail(tool, err, "the counts cannot be read: %s", strerror(-err));
	if (!recording__open(tool) && tool->recording && !tool->recording->has_rows)
		run->reader.print = record;
	return tool->err;
}

/* What was delivered and what was not, once all is read. */
static void finish(struct tool *tool, struct run *run)
{
	struct tally *tally = &run->tally;

	tally__read(tally, run->stats);
	tally->unread = run->reader.unread + run->reader.events;
	if (tool->end_rows) {
		if (tool->counting)
			counting__enter(tool);
		tally->unread = tool->end_rows(tool, tally);
		if (tool->counting)
			counting__leave(tool);
		out__flush(&tool->out);
	}
	if (tool->recording)
		recording__flush(tool->recording);
	tally->delivered = tool__rows_done(tool);
	/* also what was printed before the output failed */
	tally->unread = count__minus(tally->unread, tally->delivered);
	if (tool->row_stacks)
		tool->about->row_stacks_calls->tell(tool->row_stacks);
	if (tool->before_summary) {
		loop__await_stderr();
		tool->before_summary(tool);
	}
	if (tool->recording)
		recording__end(tool, tally);
	tool__print_summary(tool, tally);
}

int tool__run(struct tool *tool, void *skel, tool_print_event print_event)
{
	bool looks_often = tool->options.rate_max || tool->about->stacks_come_before || tool->end_rows;
	struct run run = {
		.tool = tool, .print_event = print_event,
		.reader = {
			.out = &tool->out, .print = print, .ctx = &run, .events_max = tool->end_rows ? 0 : tool->options.events_max,
			.takes_all = tool->end_rows,
			.idle_ms = looks_often ? RATE_LIMIT_PERIOD_MS : READER_SLEEP_MS,
		},
		.source = {
			.ctx = &run, .what = "the ring buffer", .hint = "try a filter, a larger --buffer, or nice -n -5",
			.is_slow = tool->options.stacks_asked || tool->rows_are_slow,
			.read = read_events, .end = detach, .is_enough = is_enough, .lost = count_lost,
			.seen = count_seen, .tally = tally_now,
		},
	};

	if (show__is_active())
		return tool->err ? tool->err : show__run(tool, print_event);
	if (tool->err || (!tool->skeleton && !tool__opened(tool, skel)))
		return tool->err;
	if (!tool->loaded && tool__load(tool))
		return tool->err;
	if (!tool__attach(tool) && !open_source(tool, &run) &&
	    !pump__start(&run.pump, tool, &run.source, kept_privileges(tool))) {
		pump__run(&run.pump);
		finish(tool, &run);
	}
	if (tool->err && !run.detached)
		tool__prepare_detach(tool);
	reader__free(&run.reader);
	if (tool->row_stacks)
		tool->about->row_stacks_calls->free(tool->row_stacks);
	tool->row_stacks = NULL;
	return tool->err;
}
