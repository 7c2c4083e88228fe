/* SPDX-License-Identifier: BSD-2-Clause */
#include "cgroup_removed.h"

#include "lib/shared/removed.h"
#include <cgroup_removed.skel.h>

#include "lib/kernel/cgroups.h"
#include "side_program.h"

int cgroup_removed__start(struct cgroup_removed_bpf **skel, struct fault *fault)
{
	struct side_program side;
	int err = side_program__begin(&side, fault);

	if (err)
		return err;
	*skel = cgroup_removed_bpf__open_opts(&side.opts);
	err = side_program__attach(&side, *skel ? (*skel)->skeleton : NULL, fault);
	if (!err)
		cgroups__set_removed(&(*skel)->bss_removed->removed);
	return err;
}

void cgroup_removed__end(struct cgroup_removed_bpf *skel)
{
	cgroup_removed_bpf__destroy(skel);
}
