/* SPDX-License-Identifier: BSD-2-Clause */
#include "return_conflict.h"

#include <errno.h>
#include <stdio.h>

#include "lib/ftrace/return_number.h"
#include "lib/ftrace/tracer.h"
#include "lib/kernel/kernel.h"
#include "lib/probe/attach.h"
#include "tool.h"

static bool shares_stacks(void)
{
	return kernel__version() >= kernel_version(6, 14, 0);
}

/* Where function_graph runs, a static string; NULL: nowhere. */
static const char *find_user(void)
{
	static const char *const tracers[] = { "function_graph", NULL };
	static char user[300];

	return tracer__find_user(tracers, user, sizeof(user)) ? user : NULL;
}

const char *return_conflict__find(void)
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

/* Whether a link that is attached now has another number than 0, or none; uses 0 up for that. */
static bool avoid_0(const struct tool *tool, bool at_returns)
{
	enum return_number number;
	struct fault fault;

	if (!shares_stacks())
		return true;
	number = return_number__look(at_returns);
	if (number != RETURN_NUMBER_NEXT_0)
		return number == RETURN_NUMBER_OTHER;
	if (!return_number__use_up(&fault)) {
		tool__debug(tool, "function_graph has used number 0 of the return stacks up, so that the link gets another one");
		return true;
	}
	tool__debug(tool, "the link may get number 0 of the return stacks: %s", fault.text);
	return false;
}

static int explain(const char *user, struct fault *fault)
{
	if (!user)
		return 0;
	return fault__set(fault, -EBUSY,
			  "function_graph is in use by %s, and a BPF link at functions could make the kernel warn in fprobe_return()",
			  user);
}

int return_conflict__may_link(void *tool, bool at_returns, bool has_substitute, struct fault *fault)
{
	if (avoid_0(tool, at_returns))
		return 0;
	if (!has_substitute)
		return explain(find_user(), fault);
	return fault__set(fault, -EBUSY,
			  "a BPF link could get number 0 of the return stacks, and make the kernel warn in fprobe_return()");
}

int return_conflict__explain(struct fault *fault)
{
	return explain(return_conflict__find(), fault);
}

void return_conflict__tell(const struct tool *tool)
{
	struct fault fault;

	if (return_conflict__explain(&fault))
		tool__debug(tool, "%s: each function has its own probes", fault.text);
}
