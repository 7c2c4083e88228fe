/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The run of a tool that prints calls of functions one by one, as the kernel's function tracer records them in the instance
 * of struct traced (ENGINE_FTRACE).
 */
#ifndef PROBELIGHT_RECORDED_CALLS_H
#define PROBELIGHT_RECORDED_CALLS_H

#include "lib/ftrace/call_recorder.h"
#include "lib/run/kernel_stream.h"
#include "lib/traced/traced.h"

struct recorded_calls {
	struct traced *traced;
	bool stacks, args;	/* not both; recorded_calls__lack() */
	/* The values of the row of a call, which is last; ctx is this struct.  As in struct kernel_stream_ops. */
	int (*print)(void *ctx, struct tool *tool, const struct stream_event *event);
	struct recorded_call last;	/* the call that was read last */
	struct call_recorder recorder;
	struct prototypes *prototypes;	/* with args */
};

/* What the tracer does not have and was asked for, for engine__choose(): "-u: …"; NULL: nothing. */
const char *recorded_calls__lack(const struct tool *tool, bool returns, bool stacks, bool args);

/* As kernel_stream__run(), and removes the instance.  tool->err. */
int recorded_calls__run(struct recorded_calls *calls, struct tool *tool);

/* The prototype of a function by its name, as names__of() writes it; NULL: it is not known. */
const struct prototype *recorded_calls__prototype(const struct recorded_calls *calls, const char *name);

/* Takes a zeroed one, too. */
void recorded_calls__free(struct recorded_calls *calls);

#endif
