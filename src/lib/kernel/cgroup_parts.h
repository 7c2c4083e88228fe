/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a cgroup's path says of it, in the words of systemd, kube-state-metrics and cAdvisor, so that a collector can join what we count
 * with what they know.  From the path alone: no file is read, so that the same path has the same parts for ever.
 */
#ifndef PROBELIGHT_CGROUP_PARTS_H
#define PROBELIGHT_CGROUP_PARTS_H

#include "containers.h"

#define CGROUP_PART_MAX 256
#define POD_UID_SIZE 37

/* "" where there is none. */
struct cgroup_parts {
	/* the innermost unit that is no container: of the container's own systemd, if there is one in it: "cron.service" */
	char unit[CGROUP_PART_MAX];
	char slice[CGROUP_PART_MAX];		/* the innermost around the container that is not one pod's: "system.slice" */
	char container_id[CONTAINER_ID_SIZE + 34];	/* "containerd://" and 64 digits, as in kube_pod_container_info */
	char pod_uid[POD_UID_SIZE];		/* as in kube_pod_info: with '-' */
};

/*
 * path: below the hierarchy's mount, untrusted.  A part that is too long is cut.  Sources: the cgroup managers of the kubelet
 * (pkg/kubelet/cm/cgroup_manager_linux.go: "kubepods-burstable-podUID.slice", where '-' is '_', or "kubepods/burstable/podUID") and of the
 * engines; systemd.unit(5).
 */
void cgroup_parts__of(const char *path, struct cgroup_parts *parts);

#endif
