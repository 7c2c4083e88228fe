/* SPDX-License-Identifier: BSD-2-Clause */
/* Cgroups (v2) by the kernel's id: their paths, and which unit or container they are. */
#ifndef PROBELIGHT_CGROUPS_H
#define PROBELIGHT_CGROUPS_H

#include <stddef.h>
#include <stdint.h>

#define CGROUP_NAME_MAX 256

/*
 * The path of the cgroup with that id below the mounted hierarchy, "/system.slice/cron.service"; NULL if there is none.  *name:
 * what cgroup__name() makes of it.  Both are good until the next call.
 *
 * The paths of 65,536 cgroups are kept.  Another one is opened by its id, which takes CAP_DAC_READ_SEARCH; there is no path of one that
 * is gone before it was ever looked for.  Without the capability the directories of the hierarchy are read, a few microseconds each; the
 * next reading waits ten times as long as the last one took, so that new cgroups, however many, cost a tenth of a CPU at most, and in
 * that time have no path.
 */
const char *cgroups__path(uint64_t id, const char **name);

/*
 * What people call the cgroup: "docker:0123456789ab" of a container, "cron.service" of what is in a unit or scope, else the last
 * directory's name; "/" of the root.  Returns name.
 */
const char *cgroup__name(const char *path, char name[CGROUP_NAME_MAX]);

/* Frees what is kept. */
void cgroups__free(void);

#endif
