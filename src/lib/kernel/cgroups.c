/* SPDX-License-Identifier: BSD-2-Clause */
#include "cgroups.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cgroup_parts.h"
#include "cgroup_tree.h"
#include "clock.h"
#include "containers.h"
#include "hash.h"
#include "lib/shared/removed.h"

#define CGROUPS_KEPT 65536
#define FILEID_KERNFS 0xfe	/* include/linux/exportfs.h */


static void free_names(struct cgroup_names *names)
{
	free((char *)names->path);
	free((char *)names->name);
	free((char *)names->container);
	free((char *)names->pod);
	free((char *)names->unit);
	free((char *)names->slice);
	free((char *)names->container_id);
	free((char *)names->pod_uid);
}

static void free_entry(void *ctx, uint64_t id, void *value)
{
	(void)ctx;
	(void)id;
	free_names(value);
}

/* By id.  An id is never given to another cgroup. */
static struct hash entries = { .value_size = sizeof(struct cgroup_names), .bound = CGROUPS_KEPT, .evicted = free_entry };
static int64_t next_reading_ns;
static int hierarchy_fd = -1;	/* where it is mounted; -1: not open */
static const char *mounted_at;
static bool are_foreign;	/* ids are not this machine's */
static bool no_handles;		/* cgroups cannot be opened by their ids */
static const struct removed_cgroups *removed;	/* paths of those that are gone, or NULL */

static const char *copy(const char *text)
{
	return *text ? strdup(text) : NULL;
}

/* What there is no memory for is not there. */
static void set_names(struct cgroup_names *names, const char *path)
{
	char name[CGROUP_NAME_MAX];
	struct container container;
	struct cgroup_parts parts;
	size_t size = container__in_path(path, &container);

	container__read_names(&container);
	names->path = strdup(path);
	names->name = strdup(cgroup__name(path, &container, size, name));
	names->container = copy(container.name);
	names->pod = copy(container.pod);
	cgroup_parts__of(path, &parts);
	names->unit = copy(parts.unit);
	names->slice = copy(parts.slice);
	names->container_id = copy(parts.container_id);
	names->pod_uid = copy(parts.pod_uid);
}

/* Sets what is kept of a cgroup, unless it is there: with the directories read, a cgroup may have been renamed. */
static void keep(uint64_t id, const char *path)
{
	struct cgroup_names *names = hash__get(&entries, id);

	if (!names || (names->path && !strcmp(names->path, path)))
		return;
	free_names(names);
	set_names(names, path);
}

static bool keep_found(void *ctx, const char *path, uint64_t id)
{
	(void)ctx;
	keep(id, path);
	return true;
}

/* 0, or -1: it is not mounted. */
static int open_hierarchy(void)
{
	if (hierarchy_fd < 0)
		hierarchy_fd = cgroup_tree__open(&mounted_at);
	return hierarchy_fd < 0 ? -1 : 0;
}

/* The path of what is open, below where the hierarchy is mounted; NULL: it is not below. */
static const char *path_of(int fd, char path[CGROUP_PATH_SIZE])
{
	size_t above = strlen(mounted_at);
	char link[64];
	ssize_t size;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	size = readlinkat(AT_FDCWD, link, path, CGROUP_PATH_SIZE - 1);
	if (size < 0)
		return NULL;
	path[size] = 0;
	if (strncmp(path, mounted_at, above) || (path[above] && path[above] != '/'))
		return NULL;
	return path[above] ? path + above : "/";
}

/*
 * The id is the cgroup's file handle (kernfs_fh_to_dentry() in fs/kernfs/mount.c, since 5.5), so no directory has to be read.  1: it is
 * known now; 0: there is no such cgroup; -1: this kernel, or this process, cannot (CAP_DAC_READ_SEARCH).
 */
static int look_up_by_handle(uint64_t id)
{
	union {
		struct file_handle handle;
		char bytes[sizeof(struct file_handle) + sizeof(id)];
	} by_id = { .handle = { .handle_bytes = sizeof(id), .handle_type = FILEID_KERNFS } };
	char buffer[CGROUP_PATH_SIZE];
	const char *path;
	int fd;

	memcpy(by_id.bytes + sizeof(struct file_handle), &id, sizeof(id));
	fd = open_by_handle_at(hierarchy_fd, &by_id.handle, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return errno == ESTALE || errno == ENOENT ? 0 : -1;
	path = path_of(fd, buffer);
	close(fd);
	if (path)
		keep(id, path);
	return path != NULL;
}

/* What the program has of a cgroup that was removed. */
static void look_up_removed(uint64_t id)
{
	char path[REMOVED_PATH_SIZE];

	/* the program overwrites a slot only after 255 others were removed; then its id changes first */
	for (size_t i = 0; removed && i < REMOVED_SLOTS; i++) {
		const struct removed_cgroup *slot = &removed->slots[i];

		if (__atomic_load_n(&slot->id, __ATOMIC_ACQUIRE) != id)
			continue;
		memcpy(path, slot->path, sizeof(path));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (__atomic_load_n(&slot->id, __ATOMIC_RELAXED) == id && !path[sizeof(path) - 1])
			keep(id, path);
		return;
	}
}

void cgroups__set_removed(const struct removed_cgroups *paths)
{
	removed = paths;
}

static void look_up(uint64_t id)
{
	int64_t begin_ns, end_ns;

	if (are_foreign || open_hierarchy())
		return;
	if (!no_handles) {
		int found = look_up_by_handle(id);

		no_handles = found < 0;
		if (!found) {
			look_up_removed(id);
			/* one that is gone is not looked for again */
			hash__get(&entries, id);
		}
		if (!no_handles)
			return;
	}
	begin_ns = now_ns();
	if (begin_ns < next_reading_ns)
		return;
	cgroup_tree__walk(hierarchy_fd, keep_found, NULL);
	end_ns = now_ns();
	next_reading_ns = end_ns + 10 * (end_ns - begin_ns);
	hash__get(&entries, id);
}

static const char *copy_of(const char *text)
{
	return text ? strdup(text) : NULL;
}

void cgroups__enter(uint64_t id, const struct cgroup_names *names)
{
	struct cgroup_names *kept = id ? hash__get(&entries, id) : NULL;

	are_foreign = true;
	if (!kept)
		return;
	free_names(kept);
	*kept = (struct cgroup_names){
		.path = copy_of(names->path), .name = copy_of(names->name),
		.container = copy_of(names->container), .pod = copy_of(names->pod),
		.unit = copy_of(names->unit), .slice = copy_of(names->slice),
		.container_id = copy_of(names->container_id), .pod_uid = copy_of(names->pod_uid),
	};
}

const struct cgroup_names *cgroups__names(uint64_t id)
{
	static const struct cgroup_names none;
	const struct cgroup_names *names;

	if (!id)
		return &none;
	names = hash__find(&entries, id);
	if (!names) {
		look_up(id);
		names = hash__find(&entries, id);
	}
	return names ? names : &none;
}

void cgroups__free(void)
{
	hash__free(&entries);
	if (hierarchy_fd >= 0)
		close(hierarchy_fd);
	hierarchy_fd = -1;
	next_reading_ns = 0;
	no_handles = false;
	are_foreign = false;
	removed = NULL;
}

static bool ends_with(const char *text, size_t size, const char *end)
{
	size_t length = strlen(end);

	return size > length && !memcmp(text + size - length, end, length);
}

bool cgroup__unit(const char *path, char name[CGROUP_NAME_MAX])
{
	static const char *const units[] = { ".service", ".scope", ".socket", ".mount", ".swap" };
	const char *end = path + strlen(path);

	while (end > path) {
		const char *part = end;

		while (part > path && part[-1] != '/')
			part--;
		for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
			if (!ends_with(part, (size_t)(end - part), units[i]))
				continue;
			snprintf(name, CGROUP_NAME_MAX, "%.*s", (int)(end - part), part);
			return true;
		}
		end = part > path ? part - 1 : part;
	}
	return false;
}

const char *cgroup__name(const char *path, const struct container *container, size_t container_size, char name[CGROUP_NAME_MAX])
{
	size_t length = strlen(path);
	char unit[CGROUP_NAME_MAX] = "";
	bool has_unit = cgroup__unit(path + container_size, unit);
	const char *last;

	if (container_size) {
		char shown[CONTAINER_SHOWN_SIZE];

		/* a unit of that name may be the host's, or another container's, too */
		snprintf(name, CGROUP_NAME_MAX, "%s%s%.*s", container__show(container, shown), has_unit ? "/" : "",
			 CGROUP_NAME_MAX / 4, unit);
		return name;
	}
	if (has_unit) {
		strcpy(name, unit);
		return name;
	}
	while (length && path[length - 1] == '/')
		length--;
	last = path + length;
	while (last > path && last[-1] != '/')
		last--;
	if (length)
		snprintf(name, CGROUP_NAME_MAX, "%.*s", (int)(path + length - last), last);
	else
		strcpy(name, "/");
	return name;
}
