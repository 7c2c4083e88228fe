/* SPDX-License-Identifier: BSD-2-Clause */
#include "side_program.h"

#include <errno.h>
#include <string.h>

#include "lib/kernel/tracefs.h"
#include "lib/layout/layout.h"
#include "lib/probe/tracepoint.h"

int side_program__begin(struct side_program *side, struct fault *fault)
{
	int err;

	*side = (struct side_program){ .opts = { .sz = sizeof(side->opts) } };
	err = layout__new(&side->layout);
	if (err)
		return fault__set(fault, err, "%s", strerror(-err));
	side->opts.btf_custom_path = layout__btf_path(side->layout);
	return 0;
}

int side_program__attach(struct side_program *side, struct bpf_object_skeleton *skeleton, struct fault *fault)
{
	const struct bpf_program *program;
	struct bpf_link **link;
	int err = skeleton ? 0 : -errno;

	*fault->text = 0;
	if (!err)
		err = layout__fill(side->layout, *skeleton->obj, skeleton->data, skeleton->data_sz, fault);
	if (!err)
		err = bpf_object__load_skeleton(skeleton);
	layout__free(side->layout);
	if (!err) {
		program = *skeleton->progs->prog;
		link = skeleton->progs->link;
		*link = tracepoint__attach(program, tracepoint__of(program));
		err = *link ? 0 : -errno;
	}
	if (err && !*fault->text)
		fault__set(fault, err, "%s", tracefs__mount_point() ? strerror(-err) : tracefs__why(err));
	return err;
}
