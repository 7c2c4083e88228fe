/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of cgroups that are gone before their events are read: the kernel tells their paths when it removes them. */
#ifndef PROBELIGHT_CGROUP_REMOVED_H
#define PROBELIGHT_CGROUP_REMOVED_H

#include <stddef.h>

#include "lib/print/fault.h"

struct cgroup_removed_bpf;

/*
 * Starts it: cgroups__names() knows from now on the last 256 cgroups that were removed. *skel is the caller's to end, after
 * cgroups__free(). 0, or -errno with one line in fault.
 */
int cgroup_removed__start(struct cgroup_removed_bpf **skel, struct fault *fault);

/* Ends it; NULL does nothing. */
void cgroup_removed__end(struct cgroup_removed_bpf *skel);

#endif
