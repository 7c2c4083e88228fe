/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Containers, by the path of their cgroup, and their names in the files of what runs them: Docker, podman, containerd,
 * CRI-O, nerdctl, the kubelet. A container is found by its id alone, so these files are read whichever of them made the
 * cgroup.
 *
 * Names are untrusted. A file counts only if root owns it and nobody else may write it, as must the directories below
 * the place where it is looked for; no link is followed below that; and a file of more than 4 MB is left alone.
 */
#ifndef PROBELIGHT_CONTAINERS_H
#define PROBELIGHT_CONTAINERS_H

#include <stdbool.h>
#include <stddef.h>

#define CONTAINER_ID_SIZE 65	/* 64 hexadecimal digits */
#define CONTAINER_ID_SHOWN 12	/* of these, as docker ps shows it */
#define CONTAINER_NAME_SIZE 256
#define CONTAINER_SHOWN_SIZE (2 * CONTAINER_NAME_SIZE + 256)

struct container {
	char engine[32];			/* "docker", "libpod", "cri-containerd", "crio", "nspawn", "machine", "lxc" … */
	char id[CONTAINER_ID_SIZE];		/* "": it has none, as those of LXC and of machines */
	char name[CONTAINER_NAME_SIZE];		/* of a pod's: its name in the pod, "" of the one that holds the namespaces; "": not known */
	char pod[2 * CONTAINER_NAME_SIZE];	/* "NAMESPACE/NAME", or "" */
	bool is_monitor;			/* not the container, but the process that looks after it (conmon) */
};

/*
 * The innermost container in a path of a cgroup ("/system.slice/docker-ID.scope/init"), without names that files have.
 * Returns how many bytes of the path are that of the container's own cgroup; 0: there is none in it.
 */
size_t container__in_path(const char *path, struct container *container);

/* Adds the name and the pod that a file has, if there is one. */
void container__read_names(struct container *container);

/*
 * As users know it: "NAMESPACE/POD/NAME", "docker:web", or "docker:0123456789ab"; in text (CONTAINER_SHOWN_SIZE bytes).
 * Returns text.
 */
char *container__show(const struct container *container, char *text);

/*
 * The unit of a machine that systemd-machined knows (/run/systemd/machines/NAME). Whether there is one; unit has size
 * bytes.
 */
bool container__unit_of_machine(const char *name, char *unit, size_t size);

#endif
