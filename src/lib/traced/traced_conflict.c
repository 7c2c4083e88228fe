/* SPDX-License-Identifier: BSD-2-Clause */
#include "traced_conflict.h"

#include "lib/probe/attach.h"
#include "lib/run/return_conflict.h"

/* What the user can do, for the message. */
static const char *find_way_out(const struct traced *traced, const struct tool *tool)
{
	if (traced->functions.count > TRACED_FEW)
		return " (name 8 functions at most, which get probes of their own)";
	return tool->attach->wanted == ATTACH_MULTI ? " (leave --attach out)" : "";
}
_Static_assert(TRACED_FEW == 8, "the message says so");

int traced_conflict__refuse(const struct traced *traced, struct tool *tool)
{
	struct fault fault;
	int err = return_conflict__explain(&fault);

	return err ? tool__fail(tool, err, "%s%s", fault.text, find_way_out(traced, tool)) : 0;
}

int traced_conflict__avoid(const struct traced *traced, struct tool *tool, bool at_returns)
{
	struct fault fault;
	int err = return_conflict__may_link(tool, at_returns, false, &fault);

	return err ? tool__fail(tool, err, "%s%s", fault.text, find_way_out(traced, tool)) : 0;
}
