/* SPDX-License-Identifier: BSD-2-Clause */
/* Cgroups by the names that people know: of units, containers and pods. */
#ifndef PROBELIGHT_CGROUP_SEARCH_H
#define PROBELIGHT_CGROUP_SEARCH_H

#include <stdbool.h>

#include "cgroup_tree.h"
#include "lib/print/near.h"

#define CGROUP_CANDIDATES 5
#define CGROUP_CANDIDATE_SIZE 512

/* What was found, where count is 1; else what to tell the user. */
struct cgroup_found {
	unsigned int count;				/* cgroups that match equally well, and better than others */
	unsigned int rank;				/* how well, less is better; inside of cgroup_search */
	const char *mount;				/* where the hierarchy is mounted */
	bool is_v1;					/* it is one of cgroup v1 */
	char path[CGROUP_PATH_SIZE];			/* the first one's, below the mount: "/system.slice/cron.service" */
	char candidates[CGROUP_CANDIDATES][CGROUP_CANDIDATE_SIZE];	/* as the user may type them: the first ones in the order of text */
	struct near near;				/* where count is 0: the nearest name */
};

/*
 * The cgroup (v2) whose directory is called name, or name with a unit's suffix ("cron" is cron.service, before
 * cron.scope). One inside of another unit, as those of a user's own systemd are, counts only where there is no other. 0,
 * or -errno where the hierarchy cannot be read: -ENODEV without cgroup v2.
 */
int cgroup_search__unit(const char *name, struct cgroup_found *found);

/*
 * The cgroup of a container that runs: by "NAMESPACE/POD/NAME", "NAMESPACE/POD" (all of the pod), its name, the pod's
 * name, or the first digits of its id; "docker:web" and "docker:0123" are of one engine. Where cgroup v2 has none, in
 * the hierarchies of cgroup v1. Returns as above.
 */
int cgroup_search__container(const char *name, struct cgroup_found *found);

#endif
