/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach_probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach_why.h"
#include "lib/kernel/file.h"
#include "lib/print/text_buffer.h"

struct attach_probe *attach__add_probe(struct attach *attach)
{
	struct attach_probe *probes = realloc(attach->probes, (attach->probes_count + 1) * sizeof(*probes));

	if (!probes)
		return NULL;
	attach->probes = probes;
	probes += attach->probes_count;
	memset(probes, 0, sizeof(*probes));
	attach->probes_count++;
	return probes;
}

int attach__take_link(struct attach *attach, struct attempt *attempt, const struct funcname *name, const char *remark,
		      struct bpf_link **link)
{
	struct attach_probe *probe;
	struct text_buffer why;
	int err;

	err = attach__check_kprobe(attach, attempt, name);
	if (err)
		return err;
	probe = attach__add_probe(attach);
	if (!probe) {
		bpf_link__destroy(attempt->link);
		return attach__fail(attach, -ENOMEM, "no memory");
	}
	probe->program = bpf_program__name(attempt->program);
	probe->is_return = attempt->is_return;
	probe->mode = attempt->mode;
	funcname__text(name, probe->function);
	if (name->offset)
		sprintf(probe->function + strlen(probe->function), "+%#lx", name->offset);
	why = text_buffer__fixed(probe->why, sizeof(probe->why));
	text_buffer__add(&why, "%s%s%s", attempt->why, *attempt->why && *remark ? "; " : "", remark);
	*link = attempt->link;
	return 0;
}

int attach__check_name(struct attach *attach, const struct attempt *attempt, const char *function, struct funcname *name)
{
	if (funcname__parse(function, name))
		return attach__fail(attach, -EINVAL, "'%s' is not the name of a function ([MODULE:]FUNC[+OFFSET])", function);
	if (attempt->is_return && name->offset)
		return attach__fail(attach, -EINVAL, "'%s': a return probe takes no offset", function);
	if (name->offset && bpf_program__expected_attach_type(attempt->program) == BPF_TRACE_KPROBE_MULTI)
		return attach__fail(attach, -EINVAL, "'%s': mode multi attaches to the start of a function only (try --attach "
				    "link)", function);
	if (*name->module) {
		char path[128];

		/* kprobe_events would accept it and wait for the module */
		snprintf(path, sizeof(path), "/sys/module/%s", name->module);
		if (file__may(path, F_OK))
			return attach__fail_missing(attach, name, &function, 1, &(struct ksyms_match){});
	}
	return 0;
}

int attach__may_link(const struct attach *attach, const struct attempt *attempt, bool has_substitute, struct fault *fault)
{
	return attach->may_link ? attach->may_link(attach->tool, attempt->is_return, has_substitute, fault) : 0;
}
