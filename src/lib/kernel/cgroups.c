/* SPDX-License-Identifier: BSD-2-Clause */
#include "cgroups.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "hash.h"

#define DEPTH_MAX 256		/* directories that are entered, one in the other */
#define CGROUPS_KEPT 65536
#define FILEID_KERNFS 0xfe	/* include/linux/exportfs.h */
#define PATH_SIZE 4096
#define ID_CHARACTERS 12	/* of a container's id, as docker ps shows it */

struct entry {
	char *path;		/* NULL: there is no such cgroup */
	char *name;
};

static void free_entry(void *ctx, uint64_t id, void *value)
{
	struct entry *entry = value;

	(void)ctx;
	(void)id;
	free(entry->path);
	free(entry->name);
}

/* By id.  An id is never given to another cgroup. */
static struct hash entries = { .value_size = sizeof(struct entry), .bound = CGROUPS_KEPT, .evicted = free_entry };
static int64_t next_reading_ns;
static int hierarchy_fd = -1;	/* where it is mounted; -1: not open */
static const char *mounted_at;
static bool no_handles;		/* cgroups cannot be opened by their ids */

/* Sets path and name, unless they are there: with the directories read, a cgroup may have been renamed. */
static void keep(uint64_t id, const char *path)
{
	struct entry *entry = hash__get(&entries, id);
	char name[CGROUP_NAME_MAX];

	if (!entry || (entry->path && !strcmp(entry->path, path)))
		return;
	free(entry->path);
	free(entry->name);
	entry->path = strdup(path);
	entry->name = strdup(cgroup__name(path, name));
}

/* Keeps the directories below the one that fd, which it closes, is open on; path, length bytes long, has room for PATH_SIZE. */
static void read_below(int fd, char *path, size_t length, int depth)
{
	struct dirent *found;
	DIR *dir = fdopendir(fd);

	if (!dir) {
		close(fd);
		return;
	}
	while ((found = readdir(dir))) {
		size_t size = strlen(found->d_name);
		int child;

		if (found->d_type != DT_DIR || *found->d_name == '.' || length + size + 2 > PATH_SIZE)
			continue;
		path[length] = '/';
		memcpy(path + length + 1, found->d_name, size + 1);
		/* its inode's number is the kernel's id of it (kernfs, since 5.5) */
		keep(found->d_ino, path);
		child = depth < DEPTH_MAX ? openat(dirfd(dir), found->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
		if (child >= 0)
			read_below(child, path, length + 1 + size, depth + 1);
	}
	closedir(dir);
}

/* 0, or -1: it is not mounted. */
static int open_hierarchy(void)
{
	/* the second one where the controllers are those of cgroup v1 */
	static const char *const places[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };

	for (size_t i = 0; i < sizeof(places) / sizeof(*places) && hierarchy_fd < 0; i++) {
		int fd = open(places[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		struct statfs fs;

		if (fd >= 0 && !fstatfs(fd, &fs) && fs.f_type == CGROUP2_SUPER_MAGIC) {
			hierarchy_fd = fd;
			mounted_at = places[i];
		} else if (fd >= 0) {
			close(fd);
		}
	}
	return hierarchy_fd < 0 ? -1 : 0;
}

static void read_hierarchy(void)
{
	char path[PATH_SIZE];
	struct stat root;
	int fd = openat(hierarchy_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (!fstat(fd, &root))
		keep(root.st_ino, "/");
	read_below(fd, path, 0, 0);
}

/* The path of what is open, below where the hierarchy is mounted; NULL: it is not below. */
static const char *path_of(int fd, char path[PATH_SIZE])
{
	size_t above = strlen(mounted_at);
	char link[64];
	ssize_t size;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	size = readlinkat(AT_FDCWD, link, path, PATH_SIZE - 1);
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
	char buffer[PATH_SIZE];
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

static void look_up(uint64_t id)
{
	int64_t begin_ns, end_ns;

	if (open_hierarchy())
		return;
	if (!no_handles) {
		int found = look_up_by_handle(id);

		no_handles = found < 0;
		/* one that is gone is not looked for again */
		if (!found)
			hash__get(&entries, id);
		if (!no_handles)
			return;
	}
	begin_ns = now_ns();
	if (begin_ns < next_reading_ns)
		return;
	read_hierarchy();
	end_ns = now_ns();
	next_reading_ns = end_ns + 10 * (end_ns - begin_ns);
	hash__get(&entries, id);
}

const char *cgroups__path(uint64_t id, const char **name)
{
	const struct entry *entry;

	*name = NULL;
	if (!id)
		return NULL;
	entry = hash__find(&entries, id);
	if (!entry) {
		look_up(id);
		entry = hash__find(&entries, id);
	}
	if (!entry)
		return NULL;
	*name = entry->name;
	return entry->path;
}

void cgroups__free(void)
{
	hash__free(&entries);
	if (hierarchy_fd >= 0)
		close(hierarchy_fd);
	hierarchy_fd = -1;
	next_reading_ns = 0;
	no_handles = false;
}

/* How many bytes of it are a container's id: 64 hexadecimal digits; 0: it does not begin with one. */
static size_t id_size(const char *text, size_t size)
{
	size_t digits = 0;

	while (digits < size && isxdigit((unsigned char)text[digits]))
		digits++;
	return digits == 64 ? digits : 0;
}

static bool ends_with(const char *text, size_t size, const char *end)
{
	size_t length = strlen(end);

	return size > length && !memcmp(text + size - length, end, length);
}

/*
 * "docker-ID.scope", as systemd's driver of container engines makes them, "cri-containerd-ID.scope", "libpod-ID.scope" …; and "ID"
 * alone below "docker" or "kubepods/…", as the others do.  above: the directory that it is in.
 */
static bool name_container(const char *part, size_t size, const char *above, size_t above_size, char *name)
{
	for (size_t i = 0; i < size; i++) {
		if ((i && part[i - 1] != '-') || !id_size(part + i, size - i))
			continue;
		if (size - i > 64 && part[i + 64] != '.')
			return false;
		if (i > 1)
			snprintf(name, CGROUP_NAME_MAX, "%.*s:%.*s", (int)i - 1, part, ID_CHARACTERS, part + i);
		else if (above_size && !memchr(above, '.', above_size) && above_size < 32)
			snprintf(name, CGROUP_NAME_MAX, "%.*s:%.*s", (int)above_size, above, ID_CHARACTERS, part + i);
		else
			snprintf(name, CGROUP_NAME_MAX, "container:%.*s", ID_CHARACTERS, part + i);
		return true;
	}
	return false;
}

const char *cgroup__name(const char *path, char name[CGROUP_NAME_MAX])
{
	static const char *const units[] = { ".service", ".scope", ".socket", ".mount", ".swap" };
	const char *end = path + strlen(path), *last = NULL;
	size_t last_size = 0;

	/* from the innermost directory outwards */
	while (end > path) {
		const char *part = end, *above, *above_end;

		while (part > path && part[-1] != '/')
			part--;
		above_end = part > path ? part - 1 : part;
		above = above_end;
		while (above > path && above[-1] != '/')
			above--;
		if (end > part) {
			size_t size = (size_t)(end - part);

			if (!last) {
				last = part;
				last_size = size;
			}
			if (name_container(part, size, above, (size_t)(above_end - above), name))
				return name;
			for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
				if (!ends_with(part, size, units[i]))
					continue;
				snprintf(name, CGROUP_NAME_MAX, "%.*s", (int)size, part);
				return name;
			}
		}
		end = above_end;
	}
	snprintf(name, CGROUP_NAME_MAX, "%.*s", last ? (int)last_size : 1, last ? last : "/");
	return name;
}
