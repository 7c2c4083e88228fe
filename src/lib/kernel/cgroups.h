/* SPDX-License-Identifier: BSD-2-Clause */
/* Cgroups (v2) by the kernel's id: their paths, and which unit or container they are. */
#ifndef PROBELIGHT_CGROUPS_H
#define PROBELIGHT_CGROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CGROUP_NAME_MAX 1024	/* a container's may be that of a pod, too */

struct container;
struct removed_cgroups;

/* What a cgroup is; NULL: not known, or there is none. */
struct cgroup_names {
	const char *path;	/* below the mounted hierarchy, "/system.slice/cron.service" */
	const char *name;	/* what cgroup__name() makes of it */
	const char *container;	/* the name of the innermost container that it is in (containers.h) */
	const char *pod;	/* and its pod, "NAMESPACE/NAME" */
	/* what its path says, for collectors (cgroup_parts.h) */
	const char *unit, *slice, *container_id, *pod_uid;
};

/*
 * What the cgroup with that id is; good until the next call. Of id 0 it is nothing.
 *
 * What 65,536 cgroups are is kept.  Another one is opened by its id, which takes CAP_DAC_READ_SEARCH; one that is gone
 * before it was ever looked for is known only from cgroups__set_removed().  Without the capability the directories of
 * the hierarchy are read, a few microseconds each; the next reading waits ten times as long as the last one took, so
 * that new cgroups, however many, cost a tenth of a CPU at most, and in that time have no path.
 */
const struct cgroup_names *cgroups__names(uint64_t id);

/*
 * Makes this what the cgroup is; the names are copied.  From the first call on, or one with id 0, nothing is asked of this machine: the
 * ids are those of another one, or of another time.
 */
void cgroups__enter(uint64_t id, const struct cgroup_names *names);

/*
 * Where paths of removed cgroups are from now on, written by a program; NULL: nowhere. They must stay until
 * cgroups__free().
 */
void cgroups__set_removed(const struct removed_cgroups *paths);

/*
 * What people call the cgroup: the innermost unit, "cron.service"; in a container this, as container__show() has it, with the unit in
 * it, if there is one, "docker:web/cron.service"; else the last directory's name; "/" of the root.  container and container_size: those
 * of container__in_path().  Returns name.
 */
const char *cgroup__name(const char *path, const struct container *container, size_t container_size, char name[CGROUP_NAME_MAX]);

/* The name of the innermost unit among the directories of a path, "cron.service"; false: there is none. */
bool cgroup__unit(const char *path, char name[CGROUP_NAME_MAX]);

/* Frees what is kept. */
void cgroups__free(void);

#endif
