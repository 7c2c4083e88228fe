/* SPDX-License-Identifier: BSD-2-Clause */
#include "traced_ends.h"

#include <errno.h>

#include "lib/kernel/kernel.h"
#include "lib/probe/attach.h"
#include "lib/probe/tracing.h"
#include "lib/run/return_conflict.h"
#include "traced_conflict.h"

bool traced_ends__has_sessions(void)
{
	static int known;	/* 1: no; 2: yes */

	if (!known)
		known = tracing__has_multi(TRACING_KPROBE_SESSION) && !tracing__find_ids(NULL, 0, false, NULL) &&
			tracing__has_session_functions() ? 2 : 1;
	return known == 2;
}

/*
 * Before Linux 6.14 a session has two places for each CPU and function (of 200 calls that slept at the same time on two CPUs the kernel
 * skipped 196), and return probes of a pair can have more.
 */
static bool has_few_places(void)
{
	return kernel__version() < kernel_version(6, 14, 0);
}

/* One program would have to be on all of them, and the kernel has none that sees both ends.  tool->err. */
static int refuse(const struct traced *traced, struct tool *tool, const char *done)
{
	static const char none[] = "this kernel has no kprobe.session (since Linux 6.10)";

	if (traced->functions.count > TRACED_FEW)
		return tool__fail(tool, -EOPNOTSUPP, "%zu functions match: %s, so %d can be %s at most (name fewer)",
				  traced->functions.count, none,
				  TRACED_FEW, done);
	if (tool->attach->wanted == ATTACH_MULTI)
		return tool__fail(tool, -EOPNOTSUPP, "--attach multi: %s (leave --attach out)", none);
	return tool__fail(tool, -EOPNOTSUPP, "several functions have the same name, and a probe cannot distinguish them: %s (take --engine ftrace)", none);
}

int traced_ends__choose(struct traced *traced, struct tool *tool, const char *done)
{
	enum attach_mode wanted = tool->attach->wanted;
	bool few = traced->functions.count <= TRACED_FEW && (has_few_places() || return_conflict__find()) && !traced__share_names(traced);

	if (((wanted == ATTACH_AUTO && !few) || wanted == ATTACH_MULTI) && traced_ends__has_sessions()) {
		traced->by_multi = true;
		return traced_conflict__refuse(traced, tool);
	}
	return_conflict__tell(tool);
	return traced__choose_multi(traced, tool, done) || !traced->by_multi ? tool->err : refuse(traced, tool, done);
}

const char *traced_ends__how(const struct traced *traced)
{
	return traced->by_multi ? "one link for all functions, kprobe.session" : "a kprobe and a kretprobe for each function";
}

const char *traced_ends__but(const struct traced *traced)
{
	if (!traced->by_multi)
		return "; returns of calls that sleep at the same time can be missed";
	/* both ends of a call without a place are skipped */
	return has_few_places() ? "; calls that sleep at the same time can be missed" : "";
}

int traced_ends__prepare(const struct traced *traced, struct tool *tool)
{
	if (traced->by_multi) {
		struct bpf_program *program = bpf_object__find_program_by_name(*tool->skeleton->obj, "session_probe");

		return tracing__target(program, TRACING_KPROBE_SESSION, 0) ? tool__fail(tool, -ENOSPC, "too many programs") : 0;
	}
	for (size_t i = 0; i < traced->functions.count; i++) {
		bpf_program__set_autoload(traced__program(tool, "begin_probe", i), true);
		bpf_program__set_autoload(traced__program(tool, "end_probe", i), true);
	}
	return 0;
}

int traced_ends__attach(const struct traced *traced, struct tool *tool)
{
	struct attach *attach = tool->attach;

	/* the returns first: a call that is seen to begin is then seen to end */
	if (traced->by_multi)
		traced__attach_addresses(traced, tool, bpf_object__find_program_by_name(*tool->skeleton->obj, "session_probe"), NULL, true);
	else if (!traced__attach(traced, tool, "end_probe"))
		traced__attach(traced, tool, "begin_probe");
	return !tool->err && attach->err ? tool__fail(tool, attach->err, "%s", attach->error) : tool->err;
}
