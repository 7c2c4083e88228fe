/* SPDX-License-Identifier: BSD-2-Clause */
#include "made.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format/format.h"
#include "lib/kernel/file.h"
#include "lib/kernel/tracefs.h"

/* What shows the records of the kernel's own tracers, which are no tracepoints; the rest is written while such a tracer runs. */
static const struct { const char *name, *advice; } tracers[] = {
	{ "print", "tracepipe shows them" },
	{ "raw_data", "tracepipe shows them" },
	{ "bprint", "tracepipe shows them" },
	{ "bputs", "tracepipe shows them" },
	{ "function", "functrace shows calls of functions" },
	{ "funcgraph_entry", "funcgraph shows calls of functions" },
	{ "funcgraph_exit", "funcgraph shows calls of functions" },
	{ "fgraph_retaddr_entry", "funcgraph shows calls of functions" },
	{ "context_switch", "take sched:sched_switch" },
	{ "wakeup", "take sched:sched_wakeup" },
	{ "kernel_stack", "--stack shows stacks" },
	{ "user_stack", "--ustack shows stacks" },
};

static int refuse_record(const char *name, struct fault *fault)
{
	const char *advice = "they come while that tracer runs: current_tracer";

	for (size_t i = 0; i < sizeof(tracers) / sizeof(*tracers); i++)
		if (!strcmp(name, tracers[i].name))
			advice = tracers[i].advice;
	return fault__set(fault, -EOPNOTSUPP, "ftrace:%s: records of the kernel's tracers, and no tracepoint that could be enabled (%s)",
			  name, advice);
}

bool made__may_nest(const char *system)
{
	return !strcmp(system, "bpf_trace");
}

/* User events are in files of their own, without their system. */
static char made_kind(const char *system, const char *name)
{
	char event[2 * FORMAT_NAME_MAX + 2];

	snprintf(event, sizeof(event), "%s/%s", system, name);
	return !strcmp(system, "user_events") || !strcmp(system, "user_events_multi") ? 'u' : tracefs__made_kind(event);
}

/* Where an event is enabled, below tracefs: "" for the top, "instances/NAME"; NULL: nowhere.  The caller frees it. */
static char *enabled_in(const char *system, const char *name)
{
	char pattern[2 * FORMAT_NAME_MAX + 64], *where = NULL, path[512];
	glob_t files = { 0 };

	for (int top = 1; top >= 0 && !where; top--) {
		snprintf(pattern, sizeof(pattern), "%sevents/%s/%s/enable", top ? "" : "instances/*/", system, name);
		if (tracefs__path(path, sizeof(path), pattern) || glob(path, 0, NULL, &files))
			continue;
		for (size_t i = 0; i < files.gl_pathc && !where; i++) {
			char on[4] = "";

			if (file__read_small(files.gl_pathv[i], on, sizeof(on)) > 0 && *on != '0')
				where = strdup(files.gl_pathv[i]);
		}
		globfree(&files);
	}
	return where;
}

/* An event on another event (e:) is recorded in the instance that enabled it first, and nowhere else; perf has no records of it. */
static int check_event_probe(const struct via *via, const char *system, const char *name, struct fault *fault)
{
	char *where;

	if (via->consumer == VIA_PERF)
		return fault__set(fault, -EOPNOTSUPP, "%s:%s: an event on another event, of which perf gets no records (ftrace does)", system,
				  name);
	where = enabled_in(system, name);
	if (!where)
		return 0;
	fault__set(fault, -EBUSY, "%s:%s: an event on another event, which the kernel records only where it was enabled first (echo 0 "
		   ">%.300s)", system, name, where);
	free(where);
	return -EBUSY;
}

int made__consumer(const struct via *via, const struct tool *tool, const char *system, const char *name, struct fault *fault)
{
	const char *options, *lacks;
	int err;

	if (!strcmp(system, "ftrace"))
		return refuse_record(name, fault);
	if (made_kind(system, name) == 'e' && (via->consumer != VIA_BPF || !via->is_chosen)) {
		err = check_event_probe(via, system, name, fault);
		if (err)
			return err;
	}
	if (via->consumer != VIA_BPF)
		return via->consumer;
	lacks = via__lacks(tool, &options);
	if (made__may_nest(system))
		return via->is_chosen || lacks ? VIA_BPF : VIA_FTRACE;
	if (!made_kind(system, name))
		return VIA_BPF;
	if (via->is_chosen)
		return fault__set(fault, -EOPNOTSUPP, "%s:%s: made at run time, and programs do not get its fields (without --via bpf "
				  "ftrace records it)", system, name);
	return lacks ? fault__set(fault, -EOPNOTSUPP, "%s:%s: made at run time, and programs do not get its fields: ftrace has them, but "
				  "%s (go without %s)", system, name, lacks, options) : VIA_FTRACE;
}
