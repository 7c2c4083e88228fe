/* SPDX-License-Identifier: BSD-2-Clause */
#include "maps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "budget.h"
#include "lib/kernel/file.h"
#include "lib/kernel/sorted.h"

#define TEXT_MAX (64 << 20)

/* A number that ends with that letter, behind which it goes on: NULL where it is none. */
static char *read_number(char *at, unsigned int base, char end, uint64_t *number)
{
	char *first = at;

	for (*number = 0;; at++) {
		unsigned int digit = *at >= '0' && *at <= '9' ? (unsigned int)(*at - '0') : base;

		if (base == 16 && *at >= 'a' && *at <= 'f')
			digit = (unsigned int)(*at - 'a' + 10);
		if (digit == base)
			break;
		*number = *number * base + digit;
	}
	return at == first || at - first > 20 || *at != end ? NULL : at + 1;
}

/*
 * "55d0c4a00000-55d0c4a02000 r-xp 00001000 fe:01 1234      /usr/bin/x".  Returns false where it is none, or not executed.  A machine has
 * tens of thousands, and scanf(3) takes 3,000 instructions for each.
 */
static bool parse_line(char *line, struct map *map)
{
	uint64_t major, minor;
	char *at = read_number(line, 16, '-', &map->start);

	at = at ? read_number(at, 16, ' ', &map->end) : NULL;
	if (!at || map->end <= map->start || strlen(at) < 5 || at[2] != 'x' || at[4] != ' ')
		return false;
	at = read_number(at + 5, 16, ' ', &map->offset);
	at = at ? read_number(at, 16, ':', &major) : NULL;
	at = at ? read_number(at, 16, ' ', &minor) : NULL;
	if (!at)
		return false;
	/* nothing follows the inode of one without a path, in texts that are not the kernel's */
	map->path = at + strspn(at, "0123456789");
	if (!read_number(at, 10, *map->path, &map->inode))
		return false;
	map->path += strspn(map->path, " ");
	map->device = makedev((unsigned int)major, (unsigned int)minor);
	map->module = NULL;
	return true;
}

static bool take(struct maps *maps, size_t bytes)
{
	if (!budget__take(bytes))
		return false;
	maps->taken += bytes;
	return true;
}

static int grow(struct maps *maps, size_t *room)
{
	size_t larger = *room ? *room * 2 : 16;
	struct map *list;

	if (!take(maps, (larger - *room) * sizeof(*list)))
		return -EFBIG;
	list = realloc(maps->list, larger * sizeof(*list));
	if (!list)
		return -ENOMEM;
	maps->list = list;
	*room = larger;
	return 0;
}

/* The mappings of many processes are kept: without the room for more. */
static void trim(struct maps *maps, size_t room)
{
	struct map *list = maps->count ? realloc(maps->list, maps->count * sizeof(*list)) : NULL;

	if (!list)
		return;
	maps->list = list;
	maps->taken -= (room - maps->count) * sizeof(*list);
	budget__give((room - maps->count) * sizeof(*list));
}

int maps__parse(struct maps *maps, char *text)
{
	size_t room = 0;
	int err;

	*maps = (struct maps){ 0 };
	for (char *line = text, *next; line; line = next) {
		struct map map;

		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		if (!parse_line(line, &map))
			continue;
		if (maps->count == room) {
			err = grow(maps, &room);
			if (err)
				goto out;
		}
		if (!take(maps, strlen(map.path) + 1)) {
			err = -EFBIG;
			goto out;
		}
		map.path = strdup(map.path);
		if (!map.path) {
			err = -ENOMEM;
			goto out;
		}
		maps->list[maps->count++] = map;
	}
	trim(maps, room);
	return 0;
out:
	maps__free(maps);
	return err;
}

void maps__free(struct maps *maps)
{
	for (size_t i = 0; i < maps->count; i++)
		free(maps->list[i].path);
	budget__give(maps->taken);
	free(maps->list);
	*maps = (struct maps){ 0 };
}

int maps__read(struct maps *maps, uint32_t pid)
{
	char path[64], *text;
	size_t size;
	int err;

	*maps = (struct maps){ 0 };
	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	err = file__read(path, TEXT_MAX, &text, &size);
	if (err)
		return err;
	err = maps__parse(maps, text);
	free(text);
	return err;
}

bool maps__are_same(const struct maps *a, const struct maps *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++) {
		const struct map *one = &a->list[i], *other = &b->list[i];

		if (one->start != other->start || one->end != other->end || one->offset != other->offset || one->inode != other->inode ||
		    one->device != other->device || strcmp(one->path, other->path))
			return false;
	}
	return true;
}

struct map *maps__at(const struct maps *maps, uint64_t address)
{
	size_t low = sorted__up_to(maps->list, maps->count, sizeof(*maps->list), address);

	return low && address < maps->list[low - 1].end ? &maps->list[low - 1] : NULL;
}

int process_identity__parse(struct process_identity *identity, const char *stat)
{
	/* a name may hold spaces and parentheses: the last one ends it */
	const char *at = strrchr(stat, ')');
	uint64_t memory;

	/* fields of proc(5): starttime is the 22nd, then vsize; startcode is the 26th, then endcode and startstack */
	if (!at || sscanf(at + 1, " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu64
			  " %" SCNu64 " %*s %*s %" SCNu64 " %" SCNu64 " %" SCNu64, &identity->start_time, &memory, &identity->code,
			  &identity->code_end, &identity->stack) != 5)
		return -EINVAL;
	/* its state says so somewhat later; and in an exec it has some */
	identity->is_ended = !memory;
	return 0;
}

int process_identity__read(struct process_identity *identity, uint32_t pid)
{
	char path[64], text[2048];
	int size;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	size = file__read_small(path, text, sizeof(text));
	if (size < 0)
		return size;
	return process_identity__parse(identity, text);
}

bool process_identity__is_same(const struct process_identity *a, const struct process_identity *b)
{
	return a->start_time == b->start_time && a->code == b->code && a->code_end == b->code_end && a->stack == b->stack;
}

/* Whether its code and stack are not shown: to a reader who may not trace it (fs/proc/array.c). */
static bool is_hidden(const struct process_identity *identity)
{
	return identity->code_end == 1 && !identity->stack;
}

bool process_identity__executes(const struct process_identity *identity, const struct stack_program *program)
{
	return program->code_end && !is_hidden(identity) && identity->code_end == program->code_end && identity->stack == program->stack;
}

int process_identity__check(const struct process_identity *identity, const struct stack_program *program)
{
	if (!program->stack)
		return 0;
	/* the old program's, which is gone */
	if (!program->code_end)
		return -ESTALE;
	if (is_hidden(identity) || process_identity__executes(identity, program))
		return 0;
	return identity->is_ended ? -ESRCH : -ESTALE;
}

int process_identity__check_again(const struct process_identity *identity, uint32_t pid)
{
	struct process_identity now;
	int err = process_identity__read(&now, pid);

	if (err || process_identity__is_same(identity, &now))
		return err;
	return now.is_ended ? -ESRCH : -ESTALE;
}
