/* SPDX-License-Identifier: BSD-2-Clause */
#include "graph_rival.h"

#include <errno.h>

#include "lib/ftrace/tracer.h"
#include "lib/kernel/kernel.h"
#include "lib/probe/attach.h"

const char *graph_rival__find(void)
{
	static const char *const tracers[] = { "function_graph", NULL };
	static char user[300];
	static bool looked, found;

	if (looked)
		return found ? user : NULL;
	looked = true;
	if (kernel__version() < kernel_version(6, 14, 0))
		return NULL;
	instance__sweep();
	found = tracer__find_user(tracers, user, sizeof(user));
	return found ? user : NULL;
}

/* How the functions could be traced all the same. */
static const char *find_way_out(const struct traced *traced, const struct tool *tool)
{
	if (traced->functions.count > TRACED_FEW)
		return "; name 8 functions at most, which get probes of their own";
	return tool->attach->wanted == ATTACH_MULTI ? "; leave --attach out" : "";
}
_Static_assert(TRACED_FEW == 8, "the message says so");

int graph_rival__refuse(const struct traced *traced, struct tool *tool)
{
	const char *user = graph_rival__find();

	if (!user)
		return 0;
	return tool__fail(tool, -EBUSY, "function_graph is in use by %s, and one link at the returns of functions may have the kernel warn "
			  "meanwhile (fprobe_return()%s)", user, find_way_out(traced, tool));
}

void graph_rival__tell(const struct tool *tool)
{
	if (graph_rival__find())
		tool__debug(tool, "function_graph is in use by %s: no link at the returns of all functions, which may have the kernel warn meanwhile",
			    graph_rival__find());
}
