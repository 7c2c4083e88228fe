/* SPDX-License-Identifier: BSD-2-Clause */
#include "containers.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/print/json_value.h"
#include "owned_file.h"

#define FILE_MAX (4 << 20)
#define ENTRIES_MAX 65536		/* of a directory that are looked at */
#define ID_DIGITS (CONTAINER_ID_SIZE - 1)

/* Part of a path. */
struct part {
	const char *at;
	size_t size;
};

static void copy(char *to, size_t room, const char *from, size_t size)
{
	size = size < room ? size : room - 1;
	memcpy(to, from, size);
	to[size] = '\0';
}

/* Whether it is a container's id, of 64 hexadecimal digits, or begins with one before a dot. */
static bool is_id(const char *text, size_t size)
{
	size_t digits = 0;

	while (digits < size && digits < ID_DIGITS && isxdigit((unsigned char)text[digits]))
		digits++;
	return digits == ID_DIGITS && (size == ID_DIGITS || text[ID_DIGITS] == '.');
}

/*
 * "docker-ID.scope", as systemd's driver of container engines makes them, "cri-containerd-ID.scope", "libpod-ID.scope" …; and "ID" alone
 * below "docker" or "kubepods/…", as the cgroupfs driver does.  Where that driver gets a path for systemd's, it is one directory,
 * "kubepods-pod1.slice:cri-containerd:ID".
 */
static bool find_id(struct part part, struct part above, struct container *container)
{
	for (size_t i = 0; i < part.size; i++) {
		struct part engine = { part.at, i - 1 };
		static const char monitor[] = "conmon";

		if ((i && part.at[i - 1] != '-' && part.at[i - 1] != ':') || !is_id(part.at + i, part.size - i))
			continue;
		copy(container->id, sizeof(container->id), part.at + i, ID_DIGITS);
		for (size_t j = 0; i && part.at[i - 1] == ':' && j < i - 1; j++)
			if (part.at[j] == ':')
				engine = (struct part){ part.at + j + 1, i - j - 2 };
		if (i <= 1)
			engine = above.size && above.size < sizeof(container->engine) && !memchr(above.at, '.', above.size) ?
				above : (struct part){ "container", strlen("container") };
		copy(container->engine, sizeof(container->engine), engine.at, engine.size);
		container->is_monitor = engine.size >= strlen(monitor) &&
			!memcmp(engine.at + engine.size - strlen(monitor), monitor, strlen(monitor));
		return true;
	}
	return false;
}

/* systemd's escapes in the names of units: "qemu\x2d1" is qemu-1 (systemd-escape(1)). */
static void copy_unescaped(char *to, size_t room, const char *from, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; i < size && used + 1 < room; i++) {
		unsigned int byte;
		int end = 0;

		if (size - i >= 4 && sscanf(from + i, "\\x%2x%n", &byte, &end) == 1 && end == 4 && byte) {
			to[used++] = (char)byte;
			i += 3;
		} else {
			to[used++] = from[i];
		}
	}
	to[used] = '\0';
}

/* Whether the part is BEFORE, a name and AFTER; then it is the name of the container. */
static bool is_named(struct part part, const char *before, const char *after, const char *engine, struct container *container)
{
	size_t begin = strlen(before), end = strlen(after);

	if (part.size <= begin + end || strncmp(part.at, before, begin) || strncmp(part.at + part.size - end, after, end))
		return false;
	copy_unescaped(container->name, sizeof(container->name), part.at + begin, part.size - begin - end);
	strcpy(container->engine, engine);
	return true;
}

static bool is_part(struct part part, const char *text)
{
	return part.size == strlen(text) && !memcmp(part.at, text, part.size);
}

/* Those of LXC have "lxc.payload.NAME" since 4.0, and "lxc/NAME" before; machines what systemd-nspawn(1) and machined name them. */
static bool find_name(struct part part, struct part above, struct container *container)
{
	if (is_named(part, "lxc.payload.", "", "lxc", container) || is_named(part, "systemd-nspawn@", ".service", "nspawn", container) ||
	    is_named(part, "machine-", ".scope", "machine", container))
		return true;
	return (is_part(above, "lxc") || is_part(above, "lxc.payload")) && is_named(part, "", "", "lxc", container);
}

size_t container__in_path(const char *path, struct container *container)
{
	const char *end = path + strlen(path);

	while (end > path) {
		struct part part = { end, 0 }, above;

		while (part.at > path && part.at[-1] != '/')
			part.at--;
		part.size = (size_t)(end - part.at);
		end = part.at > path ? part.at - 1 : path;
		above = (struct part){ end, 0 };
		while (above.at > path && above.at[-1] != '/')
			above.at--;
		above.size = (size_t)(end - above.at);
		memset(container, 0, sizeof(*container));
		if (part.size && (find_id(part, above, container) || find_name(part, above, container)))
			return (size_t)(part.at + part.size - path);
	}
	memset(container, 0, sizeof(*container));
	return 0;
}

/* The string object.MEMBER.KEY, "" where there is none. */
static void read_string(struct json_value object, const char *member, const char *key, char *text, size_t size)
{
	struct json_value value;

	*text = '\0';
	if ((!member || json_value__member(object, member, &object)) && json_value__member(object, key, &value))
		json_value__string(value, text, size);
}

/* A pod's names: the keys of NAMESPACE, POD and the container in object.MEMBER. Whether they are there. */
static bool read_pod(struct json_value object, const char *member, const char *const keys[3], struct container *container)
{
	char space[CONTAINER_NAME_SIZE], pod[CONTAINER_NAME_SIZE];

	read_string(object, member, keys[0], space, sizeof(space));
	read_string(object, member, keys[1], pod, sizeof(pod));
	if (!*space || !*pod)
		return false;
	snprintf(container->pod, sizeof(container->pod), "%s/%s", space, pod);
	read_string(object, member, keys[2], container->name, sizeof(container->name));
	/* the one that holds the pod's namespaces */
	if (!strcmp(container->name, "POD"))
		*container->name = '\0';
	return true;
}

/* Labels that the kubelet gives to Docker's containers, and CRI-O to all its own. */
static const char *const kubelet_keys[] = { "io.kubernetes.pod.namespace", "io.kubernetes.pod.name", "io.kubernetes.container.name" };
/* Annotations of containerd's CRI plugin. */
static const char *const cri_keys[] = {
	"io.kubernetes.cri.sandbox-namespace", "io.kubernetes.cri.sandbox-name", "io.kubernetes.cri.container-name"
};

/* Docker's config.v2.json: {"Name":"/web","Config":{"Labels":{…}},…} */
static void read_docker(struct json_value file, struct container *container)
{
	struct json_value config;

	if (json_value__member(file, "Config", &config) && read_pod(config, "Labels", kubelet_keys, container))
		return;
	read_string(file, NULL, "Name", container->name, sizeof(container->name));
	if (*container->name == '/')
		memmove(container->name, container->name + 1, strlen(container->name));
}

/* The configuration of the Open Container Initiative's runtimes, which containerd and CRI-O write: {"annotations":{…},…} */
static void read_oci(struct json_value file, struct container *container)
{
	if (read_pod(file, "annotations", cri_keys, container) || read_pod(file, "annotations", kubelet_keys, container))
		return;
	read_string(file, "annotations", "nerdctl/name", container->name, sizeof(container->name));
}

/* The list of containers/storage, which podman and CRI-O have: [{"id":"…","names":["web"],…},…] */
static void read_storage(struct json_value file, struct container *container)
{
	char id[CONTAINER_ID_SIZE];
	struct json_value element, names, first;

	while (json_value__next(&file, &element)) {
		read_string(element, NULL, "id", id, sizeof(id));
		if (strcmp(id, container->id))
			continue;
		if (json_value__member(element, "names", &names) && json_value__next(&names, &first))
			json_value__string(first, container->name, sizeof(container->name));
		return;
	}
}

/* Where the engines keep what they know; "%s" is the container's id, and "*" any directory. */
static const struct place {
	const char *directory, *file;
	void (*read)(struct json_value file, struct container *container);
} places[] = {
	{ "/var/lib/docker/containers", "%s/config.v2.json", read_docker },
	{ "/var/snap/docker/common/var-lib-docker/containers", "%s/config.v2.json", read_docker },
	{ "/run/containerd/io.containerd.runtime.v2.task", "*/%s/config.json", read_oci },
	{ "/run/k3s/containerd/io.containerd.runtime.v2.task", "*/%s/config.json", read_oci },
	{ "/var/snap/microk8s/common/run/containerd/io.containerd.runtime.v2.task", "*/%s/config.json", read_oci },
	{ "/run/containers/storage/overlay-containers", "%s/userdata/config.json", read_oci },
	{ "/var/lib/containers/storage/overlay-containers", "%s/userdata/config.json", read_oci },
	{ "/var/lib/containers/storage/overlay-containers", "containers.json", read_storage },
	{ "/var/lib/containers/storage/overlay-containers", "volatile-containers.json", read_storage },
	{ "/run/containers/storage/overlay-containers", "volatile-containers.json", read_storage },
	{ "/var/lib/containers/storage/vfs-containers", "containers.json", read_storage },
	{ "/var/lib/containers/storage/vfs-containers", "volatile-containers.json", read_storage },
};

/* Reads the file below the directory into the names, if it is there. */
static void read_file(int directory, const struct place *place, const char *format, struct container *container)
{
	char path[512], *text;
	size_t size;

	snprintf(path, sizeof(path), format, container->id);
	if (owned_file__read(directory, path, FILE_MAX, &text, &size))
		return;
	place->read((struct json_value){ text, text + size }, container);
	free(text);
}

static bool has_names(const struct container *container)
{
	return *container->name || *container->pod;
}

/* The next entry of a directory that is none of its own, of at most ENTRIES_MAX; NULL: none. */
static const char *next_entry(DIR *directory, size_t *count)
{
	const struct dirent *entry;

	while ((*count)++ < ENTRIES_MAX && (entry = readdir(directory)))
		if (*entry->d_name != '.')
			return entry->d_name;
	return NULL;
}

/* The file in each directory of the directory, which it closes. */
static void read_in_each(int fd, const struct place *place, struct container *container)
{
	DIR *directory = fdopendir(fd);
	const char *name;
	size_t count = 0;

	if (!directory) {
		close(fd);
		return;
	}
	while (!has_names(container) && (name = next_entry(directory, &count))) {
		int inner = owned_file__open(dirfd(directory), name, O_DIRECTORY);

		if (inner < 0)
			continue;
		read_file(inner, place, place->file + strlen("*/"), container);
		close(inner);
	}
	closedir(directory);
}

static void read_place(const struct place *place, struct container *container)
{
	int directory = owned_file__directory(place->directory);

	if (directory < 0)
		return;
	if (*place->file == '*') {
		read_in_each(directory, place, container);
		return;
	}
	read_file(directory, place, place->file, container);
	close(directory);
}

/* The kubelet's link to a container's log is called POD_NAMESPACE_CONTAINER-ID.log; the names of Kubernetes have no "_". */
static bool parse_log(const char *entry, struct container *container)
{
	size_t length = strlen(entry), end = ID_DIGITS + strlen("-.log");
	const char *space, *name;

	if (length <= end || entry[length - end] != '-' || strcmp(entry + length - 4, ".log") ||
	    memcmp(entry + length - end + 1, container->id, ID_DIGITS))
		return false;
	space = strchr(entry, '_');
	name = space ? strchr(space + 1, '_') : NULL;
	if (!name || name > entry + length - end)
		return false;
	copy(container->name, sizeof(container->name), name + 1, (size_t)(entry + length - end - name - 1));
	snprintf(container->pod, sizeof(container->pod), "%.*s/%.*s", (int)(name - space - 1), space + 1, (int)(space - entry), entry);
	return true;
}

static void read_logs(struct container *container)
{
	int fd = owned_file__directory("/var/log/containers");
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	const char *name;
	size_t count = 0;

	if (!directory) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((name = next_entry(directory, &count)) && !parse_log(name, container))
		;
	closedir(directory);
}

void container__read_names(struct container *container)
{
	if (!*container->id)
		return;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places) && !has_names(container); i++)
		read_place(&places[i], container);
	if (!*container->pod && !has_names(container))
		read_logs(container);
}

char *container__show(const struct container *container, char *text)
{
	if (*container->pod)
		snprintf(text, CONTAINER_SHOWN_SIZE, "%s%s%s", container->pod, *container->name ? "/" : "", container->name);
	else if (*container->name)
		snprintf(text, CONTAINER_SHOWN_SIZE, "%s:%s", container->engine, container->name);
	else
		snprintf(text, CONTAINER_SHOWN_SIZE, "%s:%.*s", container->engine, CONTAINER_ID_SHOWN, container->id);
	return text;
}

bool container__unit_of_machine(const char *name, char *unit, size_t size)
{
	/* the second one since systemd 258 */
	static const char *const keys[] = { "\nSCOPE=", "\nUNIT=" };
	int directory = owned_file__directory("/run/systemd/machines");
	char *text;
	size_t length;
	int err;

	if (directory < 0)
		return false;
	err = owned_file__read(directory, name, 65536, &text, &length);
	close(directory);
	if (err)
		return false;
	*unit = '\0';
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys) && !*unit; i++) {
		const char *at = strstr(text, keys[i]);

		if (at)
			copy(unit, size, at + strlen(keys[i]), strcspn(at + strlen(keys[i]), "\n"));
	}
	free(text);
	return *unit;
}
