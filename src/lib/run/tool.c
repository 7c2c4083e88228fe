/* SPDX-License-Identifier: BSD-2-Clause */
#include "tool.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "lib/probe/attach.h"
#include "lib/layout/layout.h"
#include "lib/probe/links.h"
#include "lib/probe/missed.h"
#include "preflight.h"
#include "reader.h"
#include "lib/kernel/tracefs.h"

bool tool_uid_shown;
const bool tool_not_shown = false;
static bool verbose;

/* In one write: what others write to the same place comes before or behind it. */
static void vreport(const struct tool *tool, const char *format, va_list args)
{
	char *text;

	if (vasprintf(&text, format, args) < 0)
		return;
	fprintf(stderr, "%s: %s\n", tool->name, text);
	free(text);
}

void tool__error(const struct tool *tool, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vreport(tool, format, args);
	va_end(args);
}

int tool__fail(struct tool *tool, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vreport(tool, format, args);
	va_end(args);
	tool->err = err;
	return err;
}

void tool__debug(const struct tool *tool, const char *format, ...)
{
	va_list args;

	if (!tool->verbose)
		return;
	va_start(args, format);
	vreport(tool, format, args);
	va_end(args);
}

static int print_libbpf(enum libbpf_print_level level, const char *format, va_list args)
{
	return verbose && level <= LIBBPF_DEBUG ? vfprintf(stderr, format, args) : 0;
}

const struct bpf_object_open_opts *tool__open_opts(struct tool *tool)
{
	int err;

	/* before anything is held: an interrupted start ends as an interrupted run */
	reader__catch_signals();
	verbose = tool->verbose;
	libbpf_set_print(print_libbpf);
	tool->out.fd = STDOUT_FILENO;
	tool->err = preflight__standard_files(tool);
	if (!tool->err)
		tool->err = preflight__rights(tool);
	if (tool->err)
		return NULL;
	if (!tracefs__mount_point()) {
		tool__fail(tool, -errno, "%s", tracefs__why(errno));
		return NULL;
	}
	preflight__warn_of_rt(tool);
	err = layout__new(&tool->layout);
	if (err) {
		tool__fail(tool, err, "no memory for the layouts: %s", strerror(-err));
		return NULL;
	}
	tool->open_opts.sz = sizeof(tool->open_opts);
	tool->open_opts.btf_custom_path = layout__btf_path(tool->layout);
	return &tool->open_opts;
}

bool tool__opened(struct tool *tool, const void *skel)
{
	if (!tool->err && !skel)
		tool__fail(tool, -errno, "its programs cannot be opened: %s", strerror(errno));
	return !tool->err;
}

/* "tp/SYSTEM/NAME" and "tracepoint/SYSTEM/NAME" give "SYSTEM/NAME", other sections NULL. */
static const char *tracepoint_of(const struct bpf_program *program)
{
	const char *section = bpf_program__section_name(program);

	if (!strncmp(section, "tp/", 3))
		return section + 3;
	return strncmp(section, "tracepoint/", 11) ? NULL : section + 11;
}

void tool__skip_absent_tracepoints(const struct bpf_object_skeleton *skeleton)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, *skeleton->obj) {
		const char *event = tracepoint_of(program);

		if (event && !tracefs__has_event(event))
			bpf_program__set_autoload(program, false);
	}
}

/* In the user's words, where the kernel does not take a program or a map. */
static int fail_to_load(struct tool *tool, int err)
{
	switch (-err) {
	case EPERM:
		return tool__fail(tool, err, "the kernel does not let BPF programs be loaded: %s (lockdown, or a missing "
				  "capability; cat /sys/kernel/security/lockdown)", strerror(-err));
	case ENOMEM:
		return tool__fail(tool, err, "the BPF programs or maps cannot be loaded: no memory (try a smaller --buffer)");
	case E2BIG:
		return tool__fail(tool, err, "a BPF program is too large or too complex for this kernel's verifier (-v shows "
				  "its log)");
	default:
		return tool__fail(tool, err, "the BPF programs cannot be loaded on this kernel: %s (-v shows the verifier's "
				  "log)", strerror(-err));
	}
}

int tool__load(struct tool *tool, struct bpf_object_skeleton *skeleton)
{
	struct bpf_map *cgroup = bpf_object__find_map_by_name(*skeleton->obj, "cgroup");
	struct bpf_map *events = bpf_object__find_map_by_name(*skeleton->obj, "events");
	char why[512] = "";
	uint32_t key = 0;
	int err;

	if (tool->err)
		return tool->err;
	if (tool->attach && attach__prepare(tool->attach, *skeleton->obj))
		return tool__fail(tool, tool->attach->err, "%s", tool->attach->error);
	err = layout__fill(tool->layout, *skeleton->obj, skeleton->data, skeleton->data_sz, why, sizeof(why));
	if (err)
		return tool__fail(tool, err, "%s", why);
	if (cgroup && tool->cgroup_fd < 0)
		bpf_map__set_autocreate(cgroup, false);
	if (events && tool->ring_size)
		bpf_map__set_max_entries(events, tool->ring_size);
	err = bpf_object__load_skeleton(skeleton);
	if (err)
		return fail_to_load(tool, err);
	if (tool->cgroup_fd >= 0 && cgroup &&
	    bpf_map__update_elem(cgroup, &key, sizeof(key), &tool->cgroup_fd, sizeof(tool->cgroup_fd), 0))
		return tool__fail(tool, -errno, "-c: the kernel does not take this cgroup: %s", strerror(errno));
	return 0;
}

static int fail_to_attach(struct tool *tool, int err, const char *where)
{
	switch (-err) {
	case E2BIG:	/* BPF_TRACE_MAX_PROGS in kernel/trace/bpf_trace.c */
		return tool__fail(tool, err, "%s: 64 BPF programs are attached to it already, the kernel takes no more "
				  "(bpftool link)", where);
	case ENOENT:
		return tool__fail(tool, err, "%s: this kernel does not have it", where);
	default:
		return tool__fail(tool, err, "%s: cannot be attached to: %s", where, strerror(-err));
	}
}

int tool__attach(struct tool *tool, struct bpf_object_skeleton *skeleton)
{
	for (int i = 0; i < skeleton->prog_cnt && !tool->err; i++) {
		struct bpf_prog_skeleton *entry = (void *)((char *)skeleton->progs + (size_t)i * skeleton->prog_skel_sz);
		const struct bpf_program *program = *entry->prog;
		const char *where = bpf_program__section_name(program);

		/* probes have no name in their section: the tool attaches them, before or after this */
		if (!bpf_program__autoload(program) || !strchr(where, '/') || *entry->link)
			continue;
		*entry->link = bpf_program__attach(program);
		if (!*entry->link)
			return fail_to_attach(tool, -errno, where);
		tool__debug(tool, "attached %s", where);
	}
	return tool->err;
}

int tool__attached(struct tool *tool)
{
	char line[1024];

	if (tool->err)
		return tool->err;
	if (tool->attach->err)
		return tool__fail(tool, tool->attach->err, "%s", tool->attach->error);
	for (size_t i = 0; i < tool->attach->probes_count; i++) {
		attach_probe__describe(&tool->attach->probes[i], line, sizeof(line));
		tool__debug(tool, "attached %s", line);
	}
	return 0;
}

/* The JSON counterpart of the header: what runs where, and what attaching told. */
static void print_start(struct tool *tool)
{
	char time[32], release[sizeof(((struct utsname *)0)->release) * 6 + 3], *text, *probes = NULL;
	struct utsname kernel;
	struct timespec now;
	struct tm tm;
	int length;

	if (!tool->out.json)
		return;
	uname(&kernel);
	clock_gettime(CLOCK_REALTIME, &now);
	strftime(time, sizeof(time), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now.tv_sec, &tm));
	*out__json_quote(release, kernel.release, strlen(kernel.release)) = 0;
	if (tool->attach)
		probes = attach__json(tool->attach);
	length = asprintf(&text, "{\"start\":{\"tool\":\"%s\",\"version\":\"%s\",\"kernel\":%s,\"time\":\"%s\"%s}}",
			  tool->name, PROBELIGHT_VERSION, release, time, probes ? probes : "");
	free(probes);
	if (length < 0)
		return;
	out__line(&tool->out, text, (size_t)length);
	free(text);
}

/* Until stderr takes a line, as long as that is; where a signal has told to stop, the tick ends it. */
static void await_stderr(void)
{
	struct pollfd fd = { .fd = STDERR_FILENO, .events = POLLOUT };

	while (poll(&fd, 1, -1) < 0 && !reader__is_stopping())
		;
}

/* One line that adds up: what the programs saw is delivered + lost + filtered + unread; missed is what they did not. */
static void print_summary(struct tool *tool, const struct reader *reader, uint64_t missed, bool missed_known)
{
	unsigned long long lost = reader__lost(reader), filtered = reader__filtered(reader);
	unsigned long long delivered = tool->out.rows_written;
	/* printed, and then the output failed */
	unsigned long long unread = reader->unread + reader->events - delivered;
	char missed_text[40] = "unknown", text[320];
	int length;

	if (missed || missed_known)
		snprintf(missed_text, sizeof(missed_text), "%llu%s", (unsigned long long)missed,
			 missed_known ? "" : " or more");
	length = snprintf(text, sizeof(text), "%s: delivered %llu, lost %llu, missed %s", tool->name, delivered, lost,
			  missed_text);
	if (filtered)
		length += snprintf(text + length, sizeof(text) - (size_t)length, ", filtered %llu", filtered);
	if (unread)
		snprintf(text + length, sizeof(text) - (size_t)length, ", unread %llu", unread);
	await_stderr();
	fprintf(stderr, "%s\n", text);
	if (!tool->out.json)
		return;
	/* an unknown number is no number */
	if (!missed_known)
		snprintf(missed_text, sizeof(missed_text), "null,\"missed_at_least\":%llu", (unsigned long long)missed);
	length = snprintf(text, sizeof(text),
			  "{\"summary\":{\"delivered\":%llu,\"lost\":%llu,\"missed\":%s,\"filtered\":%llu,\"unread\":%llu}}",
			  delivered, lost, missed_text, filtered, unread);
	out__line(&tool->out, text, (size_t)length);
	out__flush(&tool->out);
}

/* A closed pipe is how "| head" says enough; any other output error is a failure. */
static void check_output(struct tool *tool)
{
	if (!tool->out.error || tool->out.error == -EPIPE)
		return;
	if (tool->out.error == -EAGAIN)
		tool__fail(tool, tool->out.error, "the reader of stdout does not read: rows were given up");
	else
		tool__fail(tool, tool->out.error, "stdout cannot be written: %s", strerror(-tool->out.error));
}

/* What the reader calls back with. */
struct run {
	struct tool *tool;
	struct bpf_object_skeleton *skeleton;
	struct reader *reader;
	tool_print_event print_event;
	bool detached;
	uint64_t missed;		/* known when detached */
	bool missed_known;
};

static void print(void *ctx, const void *event, size_t size)
{
	const struct run *run = ctx;

	run->print_event(run->tool, event, size);
}

/* Ends the tracing, once.  What is in the ring is still to be read. */
static void detach(void *ctx)
{
	struct run *run = ctx;
	uint64_t seen;

	if (run->detached)
		return;
	run->detached = true;
	/* the probes' own counts go with their links */
	run->missed_known = !missed__read(run->skeleton, &run->missed);
	if (run->tool->missed_for_nothing)
		run->missed -= run->tool->missed_for_nothing(run->skeleton);
	/* else what tells is the calls that did not end: no more of them, and time for these */
	if (!run->missed_known && reader__follows_calls(*run->skeleton->obj))
		links__detach_entries(run->skeleton);
	seen = reader__missed(run->reader, *run->skeleton->obj);
	links__detach(run->skeleton);
	if (!run->missed_known && run->missed < seen)
		run->missed = seen;
}

static void tell_lost(void *ctx, uint64_t lost)
{
	const struct run *run = ctx;

	tool__error(run->tool, "lost %llu events: the reader is too slow (try a filter, a larger --buffer, or nice -n -5)",
		    (unsigned long long)lost);
}

int tool__run(struct tool *tool, struct bpf_object_skeleton *skeleton, tool_print_event print_event)
{
	struct run run = { .tool = tool, .skeleton = skeleton, .print_event = print_event };
	struct reader reader = {
		.out = &tool->out, .print = print, .tell_lost = tell_lost, .overdue = detach, .ctx = &run,
		.events_max = tool->events_max,
	};
	int err;

	if (tool->err)
		return tool->err;
	err = reader__open(&reader, *skeleton->obj);
	if (err)
		return tool__fail(tool, err, "the ring buffer cannot be mapped: %s", strerror(-err));
	tool->out.columns = tool->columns;
	tool->out.give_up = reader__is_stopping;
	tool->out.held_up = reader__held_up;
	tool->out.held_up_ctx = &reader;
	run.reader = &reader;
	err = out__open(&tool->out);
	if (err) {
		tool__fail(tool, err, "no memory for the output");
		goto out;
	}
	if (tool->duration_ns)
		reader.deadline_ms = reader__now_ms() + (int64_t)(tool->duration_ns / 1000000);
	reader__tick();
	out__header(&tool->out);
	print_start(tool);
	if (!out__flush(&tool->out))
		err = reader__run(&reader);
	if (err)
		tool__fail(tool, err, "the ring buffer cannot be read: %s", strerror(-err));
	detach(&run);
	reader__drain(&reader);
	print_summary(tool, &reader, run.missed, run.missed_known);
	if (!tool->err)
		check_output(tool);
	tool->exit_status = tool->strict && (reader__lost(&reader) || run.missed) ? TOOL_EXIT_LOST : TOOL_EXIT_DONE;
out:
	reader__free(&reader);
	return tool->err;
}

void tool__row(struct tool *tool, const struct event_task *task)
{
	out__row(&tool->out, task->ts_ns);
	out__int(&tool->out, task->pid);
	out__int(&tool->out, task->tid);
	out__int(&tool->out, task->uid);
	out__string(&tool->out, task->comm, sizeof(task->comm));
}

int tool__finish(struct tool *tool)
{
	if (tool->attach)
		attach__end(tool->attach);
	layout__free(tool->layout);
	out__free(&tool->out);
	if (tool->cgroup_fd >= 0)
		close(tool->cgroup_fd);
	return tool->err ? TOOL_EXIT_FAILED : tool->exit_status;
}
