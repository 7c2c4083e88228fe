/* SPDX-License-Identifier: BSD-2-Clause */
#include "graph_rival.h"

#include <errno.h>
#include <stdio.h>

#include "lib/ftrace/return_number.h"
#include "lib/ftrace/tracer.h"
#include "lib/kernel/kernel.h"
#include "lib/probe/attach.h"

static bool shares_stacks(void)
{
	return kernel__version() >= kernel_version(6, 14, 0);
}

/* Where function_graph runs, a static string; NULL: nowhere. */
static const char *find_user(void)
{
	static const char *const tracers[] = { "function_graph", NULL };
	static char user[300];

	instance__sweep();
	return tracer__find_user(tracers, user, sizeof(user)) ? user : NULL;
}

const char *graph_rival__find(void)
{
	static const char *user;
	static bool looked;
	enum return_number number;

	if (looked)
		return user;
	looked = true;
	number = shares_stacks() ? return_number__look(true) : RETURN_NUMBER_OTHER;
	if (number == RETURN_NUMBER_UNKNOWN || number == RETURN_NUMBER_SHARED_0)
		user = find_user();
	return user;
}

/* What the user can do, for the message. */
static const char *find_way_out(const struct traced *traced, const struct tool *tool)
{
	if (traced->functions.count > TRACED_FEW)
		return "; name 8 functions at most, which get probes of their own";
	return tool->attach->wanted == ATTACH_MULTI ? "; leave --attach out" : "";
}
_Static_assert(TRACED_FEW == 8, "the message says so");

static int refuse(const struct traced *traced, struct tool *tool, const char *user)
{
	return tool__fail(tool, -EBUSY, "function_graph is in use by %s, and a link at the returns of functions could make the kernel warn "
			  "(fprobe_return()%s)", user, find_way_out(traced, tool));
}

int graph_rival__refuse(const struct traced *traced, struct tool *tool)
{
	const char *user = graph_rival__find();

	return user ? refuse(traced, tool, user) : 0;
}

void graph_rival__tell(const struct tool *tool)
{
	if (graph_rival__find())
		tool__debug(tool, "function_graph is in use by %s, and a link at the returns of functions could make the kernel warn: "
			    "each function has probes of its own", graph_rival__find());
}

/* Whether a link that is attached now will not have number 0. */
static bool is_safe(const struct tool *tool, bool at_returns)
{
	enum return_number number = shares_stacks() ? return_number__look(at_returns) : RETURN_NUMBER_OTHER;
	char why[256];

	if (number != RETURN_NUMBER_NEXT_0)
		return number == RETURN_NUMBER_OTHER;
	if (!return_number__use_up(why, sizeof(why))) {
		tool__debug(tool, "function_graph has used number 0 of the return stacks up, so that the link gets another one");
		return true;
	}
	tool__debug(tool, "the link may get number 0 of the return stacks: %s", why);
	return false;
}

int graph_rival__avoid(const struct traced *traced, struct tool *tool, bool at_returns)
{
	const char *user = is_safe(tool, at_returns) ? NULL : find_user();

	return user ? refuse(traced, tool, user) : 0;
}

int graph_rival__may_link(void *context, bool at_returns, bool has_substitute, char *why, size_t size)
{
	const struct tool *tool = context;
	const char *user;

	if (is_safe(tool, at_returns))
		return 0;
	if (has_substitute) {
		snprintf(why, size, "such a link can get number 0 of the return stacks, and make the kernel warn (fprobe_return())");
		return -EBUSY;
	}
	user = find_user();
	if (user)
		snprintf(why, size, "function_graph is in use by %s, and such a link could make the kernel warn (fprobe_return())", user);
	return user ? -EBUSY : 0;
}
