/* SPDX-License-Identifier: BSD-2-Clause */
#include "perf_map.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "budget.h"
#include "lib/kernel/file.h"
#include "lib/kernel/sorted.h"
#include "root_file.h"

#define ENTRIES_MAX (1u << 20)
#define OVERLAPS 16		/* functions before the one that was found, in which an address may be as well */
#define STATUS_SIZE 4096

struct entry {
	uint64_t start, size;
	uint32_t name;		/* offset in names */
	uint32_t number;	/* of the line */
};

struct perf_map {
	struct entry *entries;	/* by rising address */
	size_t count, room;
	char *names;
	size_t taken;		/* of the budget */
};

/* The last number of the line that begins with word; or the one after the first, of "Uid:".  -1: there is none. */
static int64_t status_number(const char *status, const char *word, bool is_second)
{
	const char *line = strstr(status, word);
	int64_t number = -1;
	char *after;

	if (!line)
		return -1;
	line += strlen(word);
	for (int i = 0; *line && *line != '\n' && !(is_second && i == 2); i++) {
		number = (int64_t)strtoll(line, &after, 10);
		if (after == line)
			return -1;
		line = after;
	}
	return number;
}

int perf_map__open(uint32_t pid, uint32_t *number)
{
	char path[64], status[STATUS_SIZE];
	int64_t own, uid;
	struct root_id id;
	struct stat stat;
	int root, found, err;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	err = (int)file__read_small(path, status, sizeof(status));
	if (err < 0)
		return err;
	own = status_number(status, "\nNSpid:", false);
	uid = status_number(status, "\nUid:", true);
	if (own <= 0 || uid < 0)
		return -ENOENT;
	*number = (uint32_t)own;
	snprintf(path, sizeof(path), "tmp/perf-%u.map", *number);
	root = root_file__root(pid, &id);
	if (root < 0)
		return root;
	found = root_file__find(root, path, false, &stat);
	close(root);
	if (found < 0)
		return found;
	if (stat.st_uid == (uid_t)uid && stat.st_size <= PERF_MAP_SIZE_MAX)
		return root_file__open(found);
	close(found);
	return stat.st_uid == (uid_t)uid ? -EFBIG : -EPERM;
}

/* A hexadecimal number that a space ends; false: it is none. */
static bool read_number(const char **at, const char *end, uint64_t *number)
{
	const char *begin = *at;

	*number = 0;
	for (; *at < end && **at != ' '; (*at)++) {
		char c = **at;
		int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;

		/* "0x", as some write it */
		if (*at == begin + 1 && c == 'x' && *begin == '0')
			continue;
		if (digit < 0 || *number >> 60)
			return false;
		*number = *number << 4 | (uint64_t)digit;
	}
	if (*at == begin || *at == end)
		return false;
	(*at)++;
	return true;
}

static bool take(struct perf_map *map, size_t bytes)
{
	if (!budget__take(bytes))
		return false;
	map->taken += bytes;
	return true;
}

static bool add_line(struct perf_map *map, char *line, char *end)
{
	const char *at = line;
	struct entry entry = { .number = (uint32_t)map->count };
	struct entry *larger;

	if (!read_number(&at, end, &entry.start) || !read_number(&at, end, &entry.size) || at == end || !*at || !entry.size)
		return true;
	entry.name = (uint32_t)(at - map->names);
	if ((size_t)(end - at) > PERF_MAP_NAME_MAX)
		end = (char *)at + PERF_MAP_NAME_MAX;
	*end = 0;
	if (map->count == map->room) {
		map->room = map->room ? map->room * 2 : 256;
		if (!take(map, map->room * sizeof(*larger) / (map->count ? 2 : 1)))
			return false;
		larger = realloc(map->entries, map->room * sizeof(*larger));
		if (!larger)
			return false;
		map->entries = larger;
	}
	map->entries[map->count++] = entry;
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

struct perf_map *perf_map__parse(const char *text, size_t size)
{
	struct perf_map *map = calloc(1, sizeof(*map));
	char *end;

	if (size > PERF_MAP_SIZE_MAX)
		size = PERF_MAP_SIZE_MAX;
	if (map && take(map, size + 1))
		map->names = malloc(size + 1);
	if (!map || !map->names)
		goto no_memory;
	memcpy(map->names, text, size);
	map->names[size] = 0;
	end = map->names + size;
	for (char *line = map->names, *next; line < end && map->count < ENTRIES_MAX; line = next + 1) {
		next = memchr(line, '\n', (size_t)(end - line)) ?: end;
		if (!add_line(map, line, next))
			goto no_memory;
	}
	if (map->count)
		qsort(map->entries, map->count, sizeof(*map->entries), by_address);
	return map;
no_memory:
	perf_map__free(map);
	return NULL;
}

void perf_map__free(struct perf_map *map)
{
	if (!map)
		return;
	budget__give(map->taken);
	free(map->entries);
	free(map->names);
	free(map);
}

size_t perf_map__count(const struct perf_map *map)
{
	return map->count;
}

const char *perf_map__at(const struct perf_map *map, uint64_t address)
{
	const struct entry *best = NULL;
	size_t low = sorted__up_to(map->entries, map->count, sizeof(*map->entries), address);

	/* memory of code is used again, and no line says so: what was told last is there */
	for (size_t i = low; i > 0 && low - i < OVERLAPS; i--) {
		const struct entry *entry = &map->entries[i - 1];

		if (address - entry->start < entry->size && (!best || entry->number > best->number))
			best = entry;
	}
	return best ? map->names + best->name : NULL;
}
