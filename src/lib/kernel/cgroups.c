/* SPDX-License-Identifier: BSD-2-Clause */
#include "cgroups.h"

#include <ctype.h>
#include <dirent.h>
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

#define DEPTH_MAX 32		/* directories that are entered, one in the other */
#define ID_CHARACTERS 12	/* of a container's id, as docker ps shows it */

struct entry {
	uint64_t id;		/* 0: free */
	char *path;		/* NULL: it was not in the hierarchy */
	char *name;
};

/* By id: open addressing, a power of two, at most half full. */
static struct entry *entries;
static size_t entries_count, room;
static int64_t next_reading_ns;

static struct entry *find(struct entry *table, size_t size, uint64_t id)
{
	size_t at = (size_t)(id * 0x9e3779b97f4a7c15u >> 32) & (size - 1);

	while (table[at].id && table[at].id != id)
		at = (at + 1) & (size - 1);
	return &table[at];
}

/* The entry of an id, made if it is not there; NULL when out of memory. */
static struct entry *make_entry(uint64_t id)
{
	struct entry *entry;

	if (entries_count * 2 >= room) {
		size_t larger = room ? room * 2 : 256;
		struct entry *table = calloc(larger, sizeof(*table));

		if (!table)
			return NULL;
		for (size_t i = 0; i < room; i++)
			if (entries[i].id)
				*find(table, larger, entries[i].id) = entries[i];
		free(entries);
		entries = table;
		room = larger;
	}
	entry = find(entries, room, id);
	entries_count += !entry->id;
	entry->id = id;
	return entry;
}

/* Sets path and name, unless they are there: an id is never given to another cgroup, but it may be renamed. */
static void keep(uint64_t id, const char *path)
{
	struct entry *entry = make_entry(id);
	char name[CGROUP_NAME_MAX];

	if (!entry || (entry->path && !strcmp(entry->path, path)))
		return;
	free(entry->path);
	free(entry->name);
	entry->path = strdup(path);
	entry->name = strdup(cgroup__name(path, name));
}

/* Keeps the directories below the one that fd, which it closes, is open on; path, length bytes long, has room for PATH_SIZE. */
#define PATH_SIZE 4096
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

static int open_hierarchy(void)
{
	/* the second one where the controllers are those of cgroup v1 */
	static const char *const places[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		int fd = open(places[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		struct statfs fs;

		if (fd >= 0 && !fstatfs(fd, &fs) && fs.f_type == CGROUP2_SUPER_MAGIC)
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -1;
}

static void read_hierarchy(void)
{
	char path[PATH_SIZE];
	struct stat root;
	int fd = open_hierarchy();

	if (fd < 0)
		return;
	if (!fstat(fd, &root))
		keep(root.st_ino, "/");
	read_below(fd, path, 0, 0);
}

const char *cgroups__path(uint64_t id, const char **name)
{
	struct entry *entry = room ? find(entries, room, id) : NULL;
	int64_t begin_ns, end_ns;

	*name = NULL;
	if (!id)
		return NULL;
	if (!entry || !entry->id) {
		begin_ns = now_ns();
		if (begin_ns < next_reading_ns)
			return NULL;
		read_hierarchy();
		end_ns = now_ns();
		next_reading_ns = end_ns + 10 * (end_ns - begin_ns);
		/* not there: not looked for again */
		entry = make_entry(id);
		if (!entry)
			return NULL;
	}
	*name = entry->name;
	return entry->path;
}

void cgroups__free(void)
{
	for (size_t i = 0; i < room; i++) {
		free(entries[i].path);
		free(entries[i].name);
	}
	free(entries);
	entries = NULL;
	entries_count = room = 0;
	next_reading_ns = 0;
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
