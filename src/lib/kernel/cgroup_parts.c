/* SPDX-License-Identifier: BSD-2-Clause */
#include "cgroup_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cgroups.h"

#define UID_DIGITS 32

static bool ends_with(const char *text, size_t size, const char *end)
{
	size_t length = strlen(end);

	return size > length && !memcmp(text + size - length, end, length);
}

/*
 * A pod's uid at the beginning of a text: 8-4-4-4-12 hexadecimal digits, with '-' or '_' between them, or 32 without, as static pods have
 * it.  Returns its length; 0: it is none.
 */
static size_t find_uid(const char *text, size_t size, char uid[POD_UID_SIZE])
{
	bool has_dashes = size > UID_DIGITS && (text[8] == '-' || text[8] == '_');
	size_t length = UID_DIGITS + (has_dashes ? 4 : 0);

	if (size < length)
		return 0;
	for (size_t i = 0; i < length; i++) {
		bool is_dash = has_dashes && (i == 8 || i == 13 || i == 18 || i == 23);

		if (is_dash ? text[i] != text[8] : !isxdigit((unsigned char)text[i]))
			return 0;
		uid[i] = is_dash ? '-' : text[i];
	}
	uid[length] = 0;
	return length;
}

/* Whether a directory is a pod's: "podUID", also behind other words and before ".slice" and ':'. */
static bool is_pod(const char *part, size_t size, char pod_uid[POD_UID_SIZE])
{
	char uid[POD_UID_SIZE];

	for (size_t i = 0; i + 3 < size; i++) {
		size_t length, end;

		if ((i && part[i - 1] != '-') || memcmp(part + i, "pod", 3))
			continue;
		length = find_uid(part + i + 3, size - i - 3, uid);
		end = i + 3 + length;
		if (!length || (end != size && part[end] != '.' && part[end] != ':'))
			continue;
		strcpy(pod_uid, uid);
		return true;
	}
	return false;
}

/* The engine's name before "://", as the kubelet has it from the runtime's own name; a pod's container without a name is containerd's. */
static const char *runtime_of(const struct container *container, bool is_in_pod)
{
	static const char *const names[][2] = {
		{ "cri-containerd", "containerd" }, { "crio", "cri-o" }, { "nerdctl", "containerd" }, { "docker", "docker" },
		{ "libpod", "podman" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(container->engine, names[i][0]))
			return names[i][1];
	return is_in_pod ? "containerd" : container->engine;
}

static void copy(char to[CGROUP_PART_MAX], const char *from, size_t size)
{
	snprintf(to, CGROUP_PART_MAX, "%.*s", (int)size, from);
}

void cgroup_parts__of(const char *path, struct cgroup_parts *parts)
{
	struct container container;
	size_t inside = container__in_path(path, &container);
	char unit[CGROUP_NAME_MAX];

	memset(parts, 0, sizeof(*parts));
	for (const char *part = path; *part; ) {
		size_t size;

		part += strspn(part, "/");
		size = strcspn(part, "/");
		if (inside && part >= path + inside)
			break;
		if (!is_pod(part, size, parts->pod_uid) && ends_with(part, size, ".slice"))
			copy(parts->slice, part, size);
		part += size;
	}
	/* what looks after a container is none, and its unit is named by the container's id */
	if (*container.id && !container.is_monitor)
		snprintf(parts->container_id, sizeof(parts->container_id), "%s://%s", runtime_of(&container, *parts->pod_uid),
			 container.id);
	if (cgroup__unit(path + (*container.id ? inside : 0), unit))
		copy(parts->unit, unit, strlen(unit));
}
