/* SPDX-License-Identifier: BSD-2-Clause */
#include "allocations.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#define BATCH 2048	/* more than a bucket of the hash ever has */

/* ---- reading */

static struct allocation *add(struct allocations *blocks)
{
	size_t room = blocks->room ? 2 * blocks->room : BATCH;
	struct allocation *list;

	if (blocks->count == blocks->room) {
		list = realloc(blocks->list, room * sizeof(*list));
		if (!list)
			return NULL;
		blocks->list = list;
		blocks->room = room;
	}
	return &blocks->list[blocks->count++];
}

struct batch_of_blocks {
	struct memleak_key keys[BATCH];
	struct memleak_block blocks[BATCH];
};

static int read_batches(struct allocations *blocks, int fd, struct batch_of_blocks *batch)
{
	uint32_t position, count;
	bool is_first = true;
	int err;

	do {
		struct allocation *to;

		count = BATCH;
		err = bpf_map_lookup_batch(fd, is_first ? NULL : &position, &position, batch->keys, batch->blocks, &count, NULL);
		is_first = false;
		/* at the end, too, with the last ones */
		if (err && errno != ENOENT)
			return -errno;
		for (uint32_t i = 0; i < count; i++) {
			to = add(blocks);
			if (!to)
				return -ENOMEM;
			*to = (struct allocation){ batch->keys[i], batch->blocks[i] };
		}
	} while (!err);
	return 0;
}

static int compare_addresses(const void *a, const void *b)
{
	const struct allocation *left = a, *right = b;

	if (left->key.space != right->key.space)
		return left->key.space < right->key.space ? -1 : 1;
	return left->key.address < right->key.address ? -1 : left->key.address > right->key.address;
}

/* Where the key before is gone meanwhile the kernel begins again: then some come twice. */
static int read_keys(struct allocations *blocks, int fd, uint32_t most)
{
	struct memleak_key key, *before = NULL;
	struct memleak_block block;
	size_t kept = 0;

	for (uint32_t i = 0; i < 2 * most && !bpf_map_get_next_key(fd, before, &key); i++) {
		struct allocation *to;

		before = &key;
		if (bpf_map_lookup_elem(fd, &key, &block))
			continue;
		to = add(blocks);
		if (!to)
			return -ENOMEM;
		*to = (struct allocation){ key, block };
	}
	qsort(blocks->list, blocks->count, sizeof(*blocks->list), compare_addresses);
	for (size_t i = 0; i < blocks->count; i++)
		if (!i || compare_addresses(&blocks->list[kept - 1], &blocks->list[i]))
			blocks->list[kept++] = blocks->list[i];
	blocks->count = kept;
	return 0;
}

int allocations__read(struct allocations *blocks, int fd, uint32_t most, bool by_key)
{
	struct batch_of_blocks *batch;
	int err;

	blocks->count = 0;
	if (by_key)
		return read_keys(blocks, fd, most);
	batch = malloc(sizeof(*batch));
	err = batch ? read_batches(blocks, fd, batch) : -ENOMEM;
	free(batch);
	return err;
}

void allocations__free(struct allocations *blocks)
{
	free(blocks->list);
	*blocks = (struct allocations){ NULL };
}

/* ---- processes that have ended */

/* access(2) is not among the calls that a run may make (privileges.h). */
static bool is_there(uint32_t pid)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%u", pid);
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0 || errno != ENOENT;
}

void allocations__remove_gone(struct allocations *blocks, int fd, int execs_fd, bool with_ended, uint64_t *count, uint64_t *bytes)
{
	uint32_t last = 0;
	uint64_t exec_ns = 0;
	bool has_ended = false;
	size_t kept = 0;

	for (size_t i = 0; i < blocks->count; i++) {
		const struct allocation *block = &blocks->list[i];
		uint32_t pid = block->block.stack.pid;

		if (pid && pid != last) {
			last = pid;
			has_ended = with_ended && !is_there(pid);
			if (bpf_map_lookup_elem(execs_fd, &pid, &exec_ns))
				exec_ns = 0;
		}
		if (!pid || (!has_ended && block->block.since_ns >= exec_ns)) {
			blocks->list[kept++] = *block;
			continue;
		}
		bpf_map_delete_elem(fd, &block->key);
		++*count;
		*bytes += block->block.bytes;
	}
	blocks->count = kept;
}

/* ---- sums */

int allocations__sum(const struct allocations *blocks, uint64_t until_ns, uint64_t scale, struct table *table)
{
	struct stack_value *values = calloc(blocks->count + 1, sizeof(*values));
	struct stack_key *keys = calloc(blocks->count + 1, sizeof(*keys));

	*table = (struct table)TABLE_NONE;
	table->key_size = sizeof(*keys);
	table->value_size = sizeof(*values);
	table->keys = (char *)keys;
	table->values = (char *)values;
	if (!keys || !values)
		return -ENOMEM;
	for (size_t i = 0; i < blocks->count; i++) {
		const struct memleak_block *block = &blocks->list[i].block;

		if (block->since_ns > until_ns)
			continue;
		keys[table->count] = block->stack;
		values[table->count++] = (struct stack_value){ .count = scale, .ns = block->bytes * scale };
	}
	return table__add_up(table);
}
