/* SPDX-License-Identifier: BSD-2-Clause */
#include "traced_trampolines.h"

#include <errno.h>
#include <stdio.h>

#include "lib/probe/attach.h"
#include "lib/probe/links.h"
#include "lib/probe/trampoline.h"

int traced_trampolines__find(const struct traced *traced, uint32_t ids[TRACED_FEW], struct fault *fault)
{
	const struct functions *functions = &traced->functions;
	const char *names[TRACED_FEW];

	if (functions->count > TRACED_FEW)
		return fault__set(fault, -E2BIG, "more than %d functions", TRACED_FEW);
	for (size_t i = 0; i < functions->count; i++) {
		names[i] = functions->list[i].name;
		if (functions->list[i].module)
			return fault__set(fault, -EOPNOTSUPP, "%s is a module's", names[i]);
	}
	return trampoline__check(names, functions->count, ids, fault);
}

int traced_trampolines__prepare(const struct traced *traced, struct tool *tool, const char *name, const uint32_t ids[TRACED_FEW])
{
	struct attach *attach = tool->attach;

	for (size_t i = 0; i < traced->functions.count && !attach->err; i++)
		attach__fentry_id(attach, traced__program(tool, name, i), traced->functions.list[i].name, ids[i]);
	return attach->err ? tool__fail(tool, attach->err, "%s", attach->error) : tool->err;
}

int traced_trampolines__attach(const struct traced *traced, struct tool *tool, const char *name)
{
	for (size_t i = 0; i < traced->functions.count; i++) {
		const struct bpf_program *program = traced__program(tool, name, i);

		for (int j = 0; j < tool->skeleton->prog_cnt; j++) {
			const struct bpf_prog_skeleton *entry = links__entry(tool->skeleton, j);

			if (*entry->prog == program)
				attach__fentry(tool->attach, *entry->prog, entry->link);
		}
	}
	return tool->attach->err;
}
