/* SPDX-License-Identifier: BSD-2-Clause */
#include "recorded_calls.h"

#include <stdlib.h>

#include "lib/btf/prototype.h"
#include "lib/ftrace/function_options.h"
#include "lib/traced/traced_columns.h"

#define BUFFER_KB 2048		/* for each CPU; --buffer changes it */

const char *recorded_calls__lack(const struct tool *tool, bool returns, bool stacks, bool args)
{
	if (returns)
		return "the function tracer does not see calls return (--return, --slower)";
	if (tool->options.filter.by_uid || tool->options.filter.by_cgroup)
		return "its records do not have the user and the cgroup of a task (-u and -c)";
	return stacks || args ? function_options__lack(stacks, args) : NULL;
}

const struct prototype *recorded_calls__prototype(const struct recorded_calls *calls, const char *name)
{
	/* in the order of the functions, which start() has sorted */
	return traced__prototype(calls->traced, calls->prototypes, functions__find(&calls->traced->functions, name));
}

static int start(void *ctx, struct tool *tool)
{
	struct recorded_calls *calls = ctx;
	struct functions *functions = &calls->traced->functions;
	const struct call_recorder_wants wants = {
		.buffer_kb = tool->options.ring_size ? tool->options.ring_size / 1024 : BUFFER_KB,
		.tids = tool->options.filter.tids,
		.tids_count = tool->options.filter.tids_count,
		.stacks = calls->stacks,
		.args = calls->args,
	};
	struct fault fault;
	int err;

	if (calls->args) {
		functions__sort(functions);
		if (traced__load_prototypes(calls->traced, tool, &calls->prototypes))
			return tool->err;
	}
	err = call_recorder__open(&calls->recorder, &calls->traced->instance, &wants, &fault);
	return err ? tool__fail(tool, err, "%s", fault.text) : 0;
}

static int next(void *ctx, struct stream_event *event)
{
	struct recorded_calls *calls = ctx;
	struct recorded_call *last = &calls->last;
	int more = call_recorder__next(&calls->recorder, last);

	if (more <= 0)
		return more;
	event->cpu = last->cpu;
	if (last->lost_some) {
		event->lost_some = true;
		event->lost = last->lost;
	}
	stream_event__set_task(event, last->call.time_ns, last->pid, last->call.tid, last->comm);
	return 1;
}

static void end(void *ctx)
{
	struct recorded_calls *calls = ctx;

	call_recorder__end(&calls->recorder);
}

static int count_lost(void *ctx, uint64_t *lost)
{
	struct recorded_calls *calls = ctx;

	return call_recorder__lost(&calls->recorder, lost);
}

static int is_intact(void *ctx, struct fault *fault)
{
	struct recorded_calls *calls = ctx;

	return intact__check(&calls->recorder.tracer.intact, fault);
}

static int close_all(void *ctx)
{
	struct recorded_calls *calls = ctx;
	int err = call_recorder__close(&calls->recorder);

	traced__remove_instance(calls->traced);
	return err;
}

int recorded_calls__run(struct recorded_calls *calls, struct tool *tool)
{
	const struct kernel_stream_ops ops = {
		.start = start, .next = next, .print = calls->print, .end = end, .lost = count_lost, .close = close_all,
		.is_intact = is_intact,
	};
	/* of -t the kernel records these threads alone */
	struct kernel_stream stream = { .ops = &ops, .ctx = calls, .label = "--engine ftrace", .filters = tool->options.filter.tids_count };

	tool->attach = NULL;
	return kernel_stream__run(&stream, tool);
}

void recorded_calls__free(struct recorded_calls *calls)
{
	prototypes__free(calls->prototypes);
}
