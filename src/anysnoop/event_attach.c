/* SPDX-License-Identifier: BSD-2-Clause */
/* How the programs of anysnoop's events are attached. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "event_programs.h"
#include "run_events.h"
#include "lib/gen/request.h"
#include "lib/kernel/arming.h"
#include "lib/kernel/kernel.h"
#include "lib/print/say.h"
#include "lib/probe/attempt.h"
#include "lib/probe/kprobe_events.h"
#include "lib/probe/links.h"
#include "lib/probe/missed.h"
#include "lib/probe/tracepoint.h"
#include "lib/probe/trampoline.h"
#include "lib/probe/watchpoint.h"
#include "lib/run/gone_modules.h"
#include "user_events.h"

static const struct event_programs *set;

static void destroy_link(void *link)
{
	bpf_link__destroy(*(struct bpf_link **)link);
}

/* The kernel takes a hook of the security modules by ftrace's hook in its function.  NULL with errno. */
static struct bpf_link *attach_lsm(const struct bpf_program *program)
{
	struct bpf_link *link = NULL;
	struct fault fault;
	int err = arming__begin(&fault);

	if (!err) {
		link = bpf_program__attach_lsm(program);
		err = arming__end(link ? 0 : -errno, link ? destroy_link : NULL, &link, &fault);
	}
	errno = -err;
	return err ? NULL : link;
}

static struct bpf_link *attach_program(const struct plan *event, enum program_kind kind, struct bpf_program *program)
{
	char path[sizeof(event->name)];

	if (event->source == REQUEST_LSM)
		return attach_lsm(program);
	if (event->source == REQUEST_RAWTP)
		return bpf_program__attach_raw_tracepoint(program, event->format->name);
	if (kind == SEES_EVENT)
		snprintf(path, sizeof(path), "%s/%s", event->format->system, event->format->name);
	else
		snprintf(path, sizeof(path), "raw_syscalls/%s", kind == SEES_RETURN ? "sys_exit" : "sys_enter");
	return tracepoint__attach(program, path);
}

/*
 * Whether there is a probe; one that a pattern's function refuses is reported.  What fails otherwise is in attach->err.  Return probes are
 * of mode legacy where nobody asks for another one, as that one can ask for slots (lib/traced/traced.h).
 */
static bool attach_call(const struct plan *event, enum program_kind kind, const struct bpf_prog_skeleton *entry)
{
	const char *const functions[] = { event->format->name, NULL };
	struct event_state *state = &run_events.states[run_events__number(event)];
	bool is_return = kind == SEES_CALL_RETURN;
	enum attach_mode wanted = set->attach->wanted;
	struct fault fault;
	int err;

	/* of the two of a return, the first one tells */
	if (state->is_refused)
		return false;
	set->attach->at_return = is_return;
	if (is_return && wanted == ATTACH_AUTO && !attempt__lacks_kprobe_events())
		set->attach->wanted = ATTACH_LEGACY;
	if (is_return)
		kprobe_events__set_slots(event->slots ?: KPROBE_EVENTS_SLOTS);
	if (state->is_optional)
		err = attach__optional(set->attach, *entry->prog, entry->link, functions, &fault);
	else
		err = attach__kprobe(set->attach, *entry->prog, entry->link, functions);
	set->attach->wanted = wanted;
	if (err && !set->attach->err)
		say("%s: skipped: %s", event->name, fault.text);
	/* a name with its module is watched by that (add_event()) */
	if (!err && *entry->link && !strchr(event->format->name, ':'))
		gone_modules__watch_link(bpf_link__fd(*entry->link));
	state->is_refused = err;
	return !err;
}

/* The program at a place in memory, on each CPU: without a link of the skeleton's. 0 or tool->err. */
static int attach_watch(struct tool *tool, const struct plan *event, const struct bpf_program *program)
{
	struct watch watch;
	struct fault fault;
	int err = watch__parse(&watch, event->format->name, &fault);

	if (!err)
		err = watchpoint__attach(program, &watch, &fault);
	if (err)
		return tool__fail(tool, err, "%s: %s", event->name, fault.text);
	tool__needs_no_link(tool, program);
	missed__tell_unseen("accesses during another program, or on CPUs that come later, are not seen");
	return 0;
}

/* 0 or tool->err, also with set->attach->err. *attached: how many programs are. */
static int attach_event(struct tool *tool, int program, size_t *attached)
{
	const struct bpf_prog_skeleton *entry = links__entry(tool->skeleton, program);
	const struct plan *event = event_programs__at(program)->event;

	if (request__is_function(event->source)) {
		if (attach_call(event, event_programs__at(program)->kind, entry))
			++*attached;
		else
			tool__needs_no_link(tool, *entry->prog);
		return set->attach->err;
	}
	if (event->source == REQUEST_WATCH) {
		*attached += !attach_watch(tool, event, *entry->prog);
		return tool->err;
	}
	if (request__is_user(event->source)) {
		bool needs_sites = event_programs__need_sites(event);

		/* its links are kept there */
		tool__needs_no_link(tool, *entry->prog);
		++*attached;
		return user_events__attach(tool, *entry->prog, run_events__number(event),
					   event_programs__at(program)->kind == SEES_CALL_RETURN,
					   needs_sites ? bpf_object__find_map_fd_by_name(*tool->skeleton->obj, "user_sites") : -1);
	}
	if (event->source == REQUEST_LSM) {
		struct fault fault;
		int err = trampoline__check_id(event->format->id, &fault);

		if (err)
			return tool__fail(tool, err, "%s: %s", event->name, fault.text);
	}
	*entry->link = attach_program(event, event_programs__at(program)->kind, *entry->prog);
	if (!*entry->link && run_events.states[run_events__number(event)].is_optional) {
		say("%s: skipped: cannot be attached to: %s", event->name, strerror(errno));
		tool__needs_no_link(tool, *entry->prog);
		return 0;
	}
	if (!*entry->link)
		return tool__fail_to_attach(tool, -errno, event->name);
	tool__note_attached(*entry->prog, event->name);
	tool__debug(tool, "%s: %zu + %zu instructions made for it", event->name, event->matches.count, event->copy.count);
	++*attached;
	return 0;
}

static const struct bpf_object_skeleton *skeleton_of_tool;

/* For what is missed: whether the program's event is a call that it sees return. */
static bool sees_return(const struct bpf_program *program)
{
	enum program_kind kind = event_programs__at(event_programs__number(skeleton_of_tool, program))->kind;

	return kind == SEES_RETURN || kind == SEES_CALL_RETURN;
}

/*
 * keepers: those that keep calls, or the others.  Of --between the second event's first: an end that nobody sees would leave its begin to a
 * later one.  false: one of them failed, tool->err or attach.err says how.
 */
static bool attach_some(struct tool *tool, bool keepers, size_t *attached)
{
	for (int second = set->between->has_programs; second >= 0; second--)
		for (int i = 0; i < EVENT_PROGRAMS_MAX; i++) {
			const struct event_program *program = event_programs__at(i);

			if (!program->event || event_programs__keep(program->kind) != keepers ||
			    (set->between->has_programs && (program->event == &set->between->plans[1]) != second))
				continue;
			if (attach_event(tool, i, attached))
				return false;
		}
	return true;
}

int event_programs__attach(const struct event_programs *wanted, struct tool *tool)
{
	size_t attached = 0;

	set = wanted;
	skeleton_of_tool = tool->skeleton;
	/* before that kernels may take the first of several functions without a word */
	set->attach->check_names = kernel__version() < kernel_version(6, 1, 0);
	/* calls are kept when their returns are seen */
	for (int after = 0; after < 2; after++)
		if (!attach_some(tool, after, &attached))
			return tool->err;
	missed__set_returns(sees_return);
	return attached ? 0 : tool__fail(tool, -ENOENT, "none of these events can be attached to");
}
