/* SPDX-License-Identifier: BSD-2-Clause */
#include "cgroup_removed.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/shared/removed.h"
#include <cgroup_removed.skel.h>

#include "lib/kernel/cgroups.h"
#include "lib/layout/layout.h"
#include "lib/probe/tracepoint.h"

static int start(struct cgroup_removed_bpf *skel, struct layout *layout, struct fault *fault)
{
	int err = layout__fill(layout, skel->obj, skel->skeleton->data, skel->skeleton->data_sz, fault);

	if (!err)
		err = cgroup_removed_bpf__load(skel);
	if (err)
		return err;
	skel->links.cgroup_rmdir = tracepoint__attach(skel->progs.cgroup_rmdir, "cgroup/cgroup_rmdir");
	if (!skel->links.cgroup_rmdir)
		return -errno;
	cgroups__set_removed(&skel->bss_removed->removed);
	return 0;
}

int cgroup_removed__start(struct cgroup_removed_bpf **skel, struct fault *fault)
{
	struct bpf_object_open_opts opts = { .sz = sizeof(opts) };
	struct layout *layout;
	int err = layout__new(&layout);

	*fault->text = 0;
	if (!err) {
		opts.btf_custom_path = layout__btf_path(layout);
		*skel = cgroup_removed_bpf__open_opts(&opts);
		err = *skel ? start(*skel, layout, fault) : -errno;
		layout__free(layout);
	}
	if (err && !*fault->text)
		fault__set(fault, err, "%s", strerror(-err));
	return err;
}

void cgroup_removed__end(struct cgroup_removed_bpf *skel)
{
	cgroup_removed_bpf__destroy(skel);
}
