/* SPDX-License-Identifier: BSD-2-Clause */
#include "traced_top.h"

#include <errno.h>
#include <string.h>

#include "lib/ftrace/top_level.h"

int traced_top__move(struct traced *traced, struct tool *tool)
{
	struct fault fault;
	int err;

	if (!top_level__is_needed())
		return 0;
	traced__remove_instance(traced);
	functions__free(&traced->functions);
	traced->functions = (struct functions){ .list = NULL };
	err = top_level__take(&traced->instance, &fault);
	if (err)
		return tool__fail(tool, err, "this kernel has function_graph at the top of tracefs alone (in an instance since Linux 6.11): %s", fault.text);
	tool__debug(tool, "the top of tracefs is given back as it was, but that the ring buffers have 1,408 KB a CPU once any tracer has run; what "
		    "bpf_printk() and trace_marker write meanwhile is read away");
	err = functions__match(&traced->functions, &traced->instance, false, traced->module, traced->patterns, traced->patterns_count);
	return err ? tool__fail(tool, err, "%s", traced->functions.fault.text) : 0;
}

void traced_top__give_back(struct traced *traced)
{
	int err = top_level__give_back(&traced->instance);

	if (err)
		say("what was taken at the top of tracefs cannot be given back yet: %s (the next start does it)", strerror(-err));
}
