/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs on functions by trampolines: fentry and fexit. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "attach.h"
#include "attach_probe.h"
#include "attach_why.h"
#include "tracing.h"
#include "lib/kernel/arming.h"
#include "lib/kernel/kernel.h"
#include "lib/print/text_buffer.h"

int attach__fentry_target(struct attach *attach, struct bpf_program *program, const char *const *functions)
{
	char names[512];
	struct text_buffer text = text_buffer__fixed(names, sizeof(names));
	unsigned int count = 0;

	if (attach->err)
		return attach->err;
	bpf_program__set_autoload(program, attach->wanted == ATTACH_FENTRY);
	if (attach->wanted != ATTACH_FENTRY)
		return 0;
	for (; functions[count]; count++) {
		struct attach_probe *probe;

		if (bpf_program__set_attach_target(program, 0, functions[count]))
			continue;
		probe = attach__add_probe(attach);
		if (!probe)
			return attach__fail(attach, -ENOMEM, "no memory");
		probe->program = bpf_program__name(program);
		probe->mode = ATTACH_FENTRY;
		probe->is_return = bpf_program__expected_attach_type(program) == BPF_TRACE_FEXIT;
		snprintf(probe->function, sizeof(probe->function), "%s", functions[count]);
		return 0;
	}
	if (!kernel__has_btf())
		return attach__fail(attach, -ENOENT, "--attach fentry is not possible: this kernel has no BTF "
				    "(CONFIG_DEBUG_INFO_BTF)");
	text_buffer__add_quoted(&text, functions, count, " or ");
	return attach__fail(attach, -ENOENT, "--attach fentry is not possible: no function %s in the kernel's BTF (leave "
			    "--attach out, and it takes what there is)", names);
}

int attach__fentry_id(struct attach *attach, struct bpf_program *program, const char *function, uint32_t id)
{
	bool is_return = !strncmp(bpf_program__section_name(program), "fexit", 5);
	struct attach_probe *probe;
	int err;

	if (attach->err)
		return attach->err;
	err = tracing__target(program, is_return ? BPF_TRACE_FEXIT : BPF_TRACE_FENTRY, id);
	probe = err ? NULL : attach__add_probe(attach);
	if (!probe)
		return attach__fail(attach, err ?: -ENOMEM, "no memory");
	probe->program = bpf_program__name(program);
	probe->mode = ATTACH_FENTRY;
	probe->is_return = is_return;
	snprintf(probe->function, sizeof(probe->function), "%s", function);
	return 0;
}

int attach__fentry(struct attach *attach, struct bpf_program *program, struct bpf_link **link)
{
	if (attach->err || bpf_program__fd(program) < 0 || attach__begin(attach, false))
		return attach->err;
	*link = bpf_program__attach_trace(program);
	return attach__finish(attach, *link ? 0 : attach__fail_trampoline(attach, program, -errno), link);
}
