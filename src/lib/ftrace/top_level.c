/* SPDX-License-Identifier: BSD-2-Clause */
#include "top_level.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernel/kernel.h"
#include "lib/kernel/run_folder.h"
#include "lib/kernel/tracefs.h"
#include "lease.h"
#include "stream.h"

#define SNAPSHOT_MAX (1 << 20)

/* What is written, and what else would change what is recorded; the texts are those of 5.10 and 6.1. */
static const struct lease_file files[] = {
	{ "current_tracer", "nop", "nop", NULL },
	/* the kernel leaves this event on for good once a program with bpf_printk() was loaded (bpf_get_trace_printk_proto(), since 5.9) */
	{ "set_event", "", NULL, "bpf_trace:bpf_trace_printk" },
	{ "events/sched/sched_process_free/enable", "0", "0", NULL },
	{ "tracing_on", "1", "1", NULL },
	{ "set_ftrace_filter", "#### all functions enabled ####", "", NULL },
	{ "set_ftrace_notrace", "#### no functions disabled ####", NULL, NULL },
	{ "set_ftrace_pid", "no pid", "", NULL },
	{ "set_ftrace_notrace_pid", "no pid", "", NULL },
	{ "set_graph_function", "#### all functions enabled ####", "", NULL },
	{ "set_graph_notrace", "#### no functions disabled ####", NULL, NULL },
	{ "max_graph_depth", "0", NULL, NULL },
	{ "tracing_thresh", "0", NULL, NULL },
	{ "function_profile_enabled", "0", NULL, NULL },
	{ "buffer_size_kb", NULL, lease_as_before, NULL },
	{ "trace_clock", NULL, lease_as_before, NULL },
	{ "options/function-fork", NULL, lease_as_before, NULL },
	{ "options/sleep-time", NULL, lease_as_before, NULL },
	{ "options/funcgraph-irqs", NULL, lease_as_before, NULL },
	{ NULL, NULL, NULL, NULL },
};

/* The top itself, as the path of an instance, relative to tracefs. */
#define PATH "."

static struct lease lease;

bool top_level__is_needed(void)
{
	return kernel__version() < kernel_version(6, 11, 0);
}

/* A change of the tracer would free somebody's snapshot. */
static bool has_snapshot(void)
{
	char *text;
	size_t size;
	int err = tracefs__read("snapshot", SNAPSHOT_MAX, &text, &size);
	bool has;

	if (err)
		return err == -EFBIG;
	has = !strstr(text, "Snapshot is freed");
	free(text);
	return has;
}

/* Whether buffer_size_kb has a word: "7 (expanded: 1408)" before the first use, "X" where each CPU has a size of its own. */
static bool size_says(const char *word)
{
	char *text;
	size_t size;
	bool says;

	if (tracefs__read("buffer_size_kb", 4096, &text, &size))
		return false;
	says = strstr(text, word);
	free(text);
	return says;
}

/* CPUs that are left out would be calls that are lost in silence; all are "f", "3,ffffffff": a first digit of ones, and then f. */
static bool leaves_out_cpus(void)
{
	char *text;
	size_t size, at;
	bool leaves_out;

	if (tracefs__read("tracing_cpumask", 4096, &text, &size))
		return false;
	at = strspn(text, "0,");
	leaves_out = !strchr("137f", text[at]) || text[at + 1 + strspn(text + at + 1, "f,")] != '\n';
	free(text);
	return leaves_out;
}

/* What no text of a file tells alone.  0, or -errno with a line in fault. */
static int check_rest(struct fault *fault)
{
	uint64_t entries;
	int err = stream__waiting("", &entries);
	char trace[256];

	if (err)
		return fault__set(fault, err, "per_cpu in tracefs cannot be read: %s", strerror(-err));
	/* somebody's: what programs have printed, say; they would be read, and gone */
	if (entries && tracefs__path(trace, sizeof(trace), "trace"))
		*trace = '\0';
	if (entries)
		return fault__set(fault, -EBUSY,
				  "the ring buffers at the top of tracefs are in use: they have %llu records, as of bpf_printk (print and remove "
				  "them: sudo tracepipe -d 1; or remove them: echo | sudo tee %s)", (unsigned long long)entries, trace);
	if (has_snapshot())
		return fault__set(fault, -EBUSY, "snapshot in tracefs is in use: it is allocated, and would be freed");
	if (size_says("X"))
		return fault__set(fault, -EBUSY, "buffer_size_kb in tracefs is in use: each CPU has another size");
	if (leaves_out_cpus())
		return fault__set(fault, -EBUSY, "tracing_cpumask in tracefs is in use: it leaves out CPUs");
	return 0;
}

static int prepare(const struct instance *instance)
{
	/* any tracer does it, "nop" too; after that each size can be given back */
	int err = size_says("expanded") ? instance__stop_tracer(instance) : 0;

	if (!err)
		err = lease__note_all(&lease, false);
	/* a change of the clock empties the buffers, and clears what the kernel has counted */
	if (!err)
		err = instance__write(instance, "trace_clock", "mono\n");
	if (!err)
		err = instance__write(instance, "tracing_on", "0\n");
	/* the time that a call sleeps is its own, and interrupts are seen: the defaults */
	if (!err)
		err = instance__write(instance, "options/sleep-time", "1\n");
	if (!err)
		err = instance__write(instance, "options/funcgraph-irqs", "1\n");
	return err;
}

bool top_level__is(const struct instance *instance)
{
	return !strcmp(instance->path, PATH);
}

int top_level__take(struct instance *instance, struct fault *fault)
{
	int err;

	*instance = (struct instance){ .tracer_fd = -1, .events_fd = -1 };
	err = lease__take(&lease, run_folder__path(), files, fault);
	if (err)
		return err;
	strcpy(instance->path, PATH);
	instance__hold(instance);
	err = check_rest(fault);
	if (!err) {
		err = prepare(instance);
		if (err)
			fault__set(fault, err, "the top of tracefs cannot be used: %s%s", err == -EROFS ? tracefs__why(err) : strerror(-err),
				   err == -EBUSY ? " (does somebody read trace_pipe?)" : "");
	}
	if (err)
		top_level__give_back(instance);
	return err;
}

int top_level__settle(const struct instance *instance)
{
	return top_level__is(instance) ? lease__note_all(&lease, true) : 0;
}

int top_level__give_back(struct instance *instance)
{
	if (!top_level__is(instance))
		return 0;
	instance__let_go(instance);
	instance->path[0] = '\0';
	return lease__give_back(&lease);
}
