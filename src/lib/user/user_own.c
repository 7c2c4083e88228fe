/* SPDX-License-Identifier: BSD-2-Clause */
#include "user_own.h"

#include <ctype.h>
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/kernel/file.h"
#include "user_machine.h"

#define CACHE "/etc/ld.so.cache"
#define CACHE_MAX (16 << 20)
#define MAGIC "glibc-ld.so.cache1.1"
#define MACHINE 0xff00	/* of an entry's flags */

/* As the file has them. */
struct header {
	char magic[sizeof(MAGIC) - 1];
	uint32_t count, strings;
	uint8_t flags, padding[3];
	uint32_t extension, unused[3];
};

struct entry {
	int32_t flags;
	uint32_t name, path;	/* offsets from the header */
	uint32_t os_version;
	uint64_t hardware;
};

bool user_own__is_meant(const char *file, const char *typed)
{
	size_t length = strlen(typed);
	const char *rest = file + length;

	if (!length || strncmp(file, typed, length))
		return false;
	if (!*rest || !strncmp(rest, ".so", 3))
		return true;
	return rest[0] == '-' && isdigit((unsigned char)rest[1]) && strstr(rest, ".so");
}

/* A string of the cache; NULL: it is not there as a whole. */
static const char *string_at(const char *cache, size_t size, uint32_t at)
{
	return at < size && memchr(cache + at, 0, size - at) ? cache + at : NULL;
}

bool user_own__find_in(const char *cache, size_t cache_size, const char *typed, char *path, size_t size)
{
	/* an older cache may be in front of it */
	const char *start = cache_size ? memmem(cache, cache_size, MAGIC, sizeof(MAGIC) - 1) : NULL;
	size_t left = start ? cache_size - (size_t)(start - cache) : 0;
	struct header header;

	if (left < sizeof(header))
		return false;
	memcpy(&header, start, sizeof(header));
	if (header.count > (left - sizeof(header)) / sizeof(struct entry))
		return false;
	for (uint32_t i = 0; i < header.count; i++) {
		const char *name, *found;
		struct entry entry;

		memcpy(&entry, start + sizeof(header) + i * sizeof(entry), sizeof(entry));
		name = string_at(start, left, entry.name);
		found = string_at(start, left, entry.path);
		/* those for newer processors follow */
		if (!name || !found || (entry.flags & MACHINE) != user_machine__own()->cache || entry.hardware || *found != '/' ||
		    !user_own__is_meant(name, typed))
			continue;
		return snprintf(path, size, "%s", found) < (int)size;
	}
	return false;
}

static bool find_in_directory(const char *directory, const char *typed, char *path, size_t size)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir)))
		found = user_own__is_meant(entry->d_name, typed) && snprintf(path, size, "%s/%s", directory, entry->d_name) < (int)size;
	if (dir)
		closedir(dir);
	return found;
}

bool user_own__find(const char *typed, char *path, size_t size)
{
	/* %s: the architecture's */
	static const char *const libraries[] = { "/lib/%s", "/usr/lib/%s", "/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib" };
	static const char *const programs[] = { "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin" };
	char *cache;
	size_t cache_size;
	bool found = false;

	if (!file__read(CACHE, CACHE_MAX, &cache, &cache_size)) {
		found = user_own__find_in(cache, cache_size, typed, path, size);
		free(cache);
	}
	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries) && !found; i++) {
		char directory[64];

		snprintf(directory, sizeof(directory), libraries[i], user_machine__own()->triplet);
		found = find_in_directory(directory, typed, path, size);
	}
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs) && !found; i++)
		found = snprintf(path, size, "%s/%s", programs[i], typed) < (int)size && !file__may(path, F_OK);
	return found;
}
