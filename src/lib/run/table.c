/* SPDX-License-Identifier: BSD-2-Clause */
#include "table.h"

#include <errno.h>
#include <stdlib.h>

#include <bpf/bpf.h>

#include "lib/kernel/kernel.h"

static struct bpf_map *hash_of(const struct bpf_object *object, int number)
{
	return bpf_object__find_map_by_name(object, number ? "table_b" : "table_a");
}

int table__prepare(const struct bpf_object *object, uint32_t keys)
{
	struct bpf_map *slot = bpf_object__find_map_by_name(object, "table");
	struct bpf_map *maps[] = { hash_of(object, 0), hash_of(object, 1), slot ? bpf_map__inner_map(slot) : NULL };

	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps) && slot; i++) {
		int err = keys && maps[i] ? bpf_map__set_max_entries(maps[i], keys) : 0;

		/* safe in a tracing program since 6.1 (bpf_mem_alloc, fba1a1c6c912) */
		if (!err && maps[i] && kernel__version() >= kernel_version(6, 1, 0))
			err = bpf_map__set_map_flags(maps[i], BPF_F_NO_PREALLOC);
		if (err)
			return err;
	}
	return 0;
}

int table__open(struct table *table, const struct bpf_object *object)
{
	const struct bpf_map *slot = bpf_object__find_map_by_name(object, "table"), *first = hash_of(object, 0);

	*table = (struct table){ .slot_fd = -1 };
	if (!slot || !first)
		return 0;
	table->slot_fd = bpf_map__fd(slot);
	table->fds[0] = bpf_map__fd(first);
	table->fds[1] = bpf_map__fd(hash_of(object, 1));
	table->key_size = bpf_map__key_size(first);
	table->value_size = bpf_map__value_size(first);
	table->keys_max = bpf_map__max_entries(first);
	table->keys = malloc(table->keys_max * table->key_size);
	table->values = malloc(table->keys_max * table->value_size);
	return table->keys && table->values ? 0 : -ENOMEM;
}

void table__close(struct table *table)
{
	free(table->keys);
	free(table->values);
	table->keys = table->values = NULL;
	table->count = 0;
}

int table__cut(struct table *table)
{
	uint32_t first = 0, count = table->keys_max, position;
	int old = table->fds[table->current];
	int err;

	table->count = 0;
	if (bpf_map_update_elem(table->slot_fd, &first, &table->fds[!table->current], BPF_ANY))
		return -errno;
	table->current = !table->current;
	/* nobody uses it any more: reading and deleting loses nothing here */
	err = bpf_map_lookup_and_delete_batch(old, NULL, &position, table->keys, table->values, &count, NULL);
	if (err && errno != ENOENT)
		return -errno;
	table->count = count;
	return 0;
}
