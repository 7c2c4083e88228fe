/* SPDX-License-Identifier: BSD-2-Clause */
#include "table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "lib/kernel/kernel.h"

static struct bpf_map *hash_of(const struct bpf_object *object, int number)
{
	return bpf_object__find_map_by_name(object, number ? "table_b" : "table_a");
}

void table__leave_out(const struct bpf_object *object)
{
	bpf_map__set_autocreate(bpf_object__find_map_by_name(object, "table"), false);
	bpf_map__set_autocreate(hash_of(object, 0), false);
	bpf_map__set_autocreate(hash_of(object, 1), false);
}

/* Not bpf_map__inner_map(): libbpf 1.5 follows a NULL pointer when the size of that one's keys is set. */
static int make_template(struct table *table, struct bpf_map *slot, const struct bpf_map *first, uint32_t flags)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = flags);

	table->template_fd = bpf_map_create(BPF_MAP_TYPE_HASH, "table_template", bpf_map__key_size(first),
					    bpf_map__value_size(first), 1, &opts);
	return table->template_fd < 0 ? -errno : bpf_map__set_inner_map_fd(slot, table->template_fd);
}

int table__prepare(struct table *table, const struct bpf_object *object, uint32_t keys, bool on_demand, bool has_intervals)
{
	struct bpf_map *slot = bpf_object__find_map_by_name(object, "table");
	uint32_t flags = on_demand && kernel__allocates_on_demand() ? BPF_F_NO_PREALLOC : 0;
	int err = 0;

	if (!slot || !bpf_map__autocreate(slot))
		return 0;
	for (int i = 0; i < 2 && !err; i++) {
		err = bpf_map__set_map_flags(hash_of(object, i), flags);
		if (!err && keys)
			err = bpf_map__set_max_entries(hash_of(object, i), keys);
	}
	if (!err)
		err = bpf_map__set_autocreate(hash_of(object, 1), has_intervals);
	return err ? err : make_template(table, slot, hash_of(object, 0), flags);
}

static void close_template(struct table *table)
{
	if (table->template_fd >= 0)
		close(table->template_fd);
	table->template_fd = -1;
}

int table__set_key_size(const struct bpf_object *object, uint32_t size)
{
	int err = bpf_map__set_key_size(hash_of(object, 0), size);

	return err ? err : bpf_map__set_key_size(hash_of(object, 1), size);
}

int table__set_value_size(const struct bpf_object *object, uint32_t size)
{
	int err = bpf_map__set_value_size(hash_of(object, 0), size);

	return err ? err : bpf_map__set_value_size(hash_of(object, 1), size);
}

int table__open(struct table *table, const struct bpf_object *object)
{
	const struct bpf_map *slot = bpf_object__find_map_by_name(object, "table"), *first = hash_of(object, 0);

	close_template(table);
	if (!slot || !first || !bpf_map__autocreate(slot))
		return 0;
	table->slot_fd = bpf_map__fd(slot);
	table->fds[0] = bpf_map__fd(first);
	table->fds[1] = bpf_map__autocreate(hash_of(object, 1)) ? bpf_map__fd(hash_of(object, 1)) : -1;
	table->key_size = bpf_map__key_size(first);
	table->value_size = bpf_map__value_size(first);
	table->keys_max = bpf_map__max_entries(first);
	table->is_read_by_key = kernel__preempts_programs() || kernel__is_rt();
	table->keys = malloc(table->keys_max * table->key_size);
	table->values = malloc(table->keys_max * table->value_size);
	return table->keys && table->values ? 0 : -ENOMEM;
}

void table__close(struct table *table)
{
	close_template(table);
	free(table->keys);
	free(table->values);
	table->keys = table->values = NULL;
	table->count = 0;
}

/* Reads what a hash has that no program uses, one key after the other.  0 or -errno. */
static int read_by_key(struct table *table, int fd, bool deletes)
{
	const char *before = NULL;
	char *key = table->keys;

	while (table->count < table->keys_max && !bpf_map_get_next_key(fd, before, key)) {
		before = key;
		key += table->key_size;
		table->count++;
	}
	for (size_t i = 0; i < table->count; i++) {
		if (bpf_map_lookup_elem(fd, table__key(table, i), table->values + i * table->value_size) ||
		    (deletes && bpf_map_delete_elem(fd, table__key(table, i))))
			return -errno;
	}
	return 0;
}

int table__cut(struct table *table, bool is_over)
{
	uint32_t first = 0, count = table->keys_max, position;
	int old = table->fds[table->current];
	int err;

	table->count = 0;
	if (table->is_read_by_key && !is_over) {
		if (bpf_map_update_elem(table->slot_fd, &first, &table->fds[!table->current], BPF_ANY))
			return -errno;
		table->current = !table->current;
		return read_by_key(table, old, true);
	}
	if (is_over) {
		err = bpf_map_lookup_batch(old, NULL, &position, table->keys, table->values, &count, NULL);
	} else {
		if (bpf_map_update_elem(table->slot_fd, &first, &table->fds[!table->current], BPF_ANY))
			return -errno;
		table->current = !table->current;
		/* nobody uses it any more: reading and deleting loses nothing here */
		err = bpf_map_lookup_and_delete_batch(old, NULL, &position, table->keys, table->values, &count, NULL);
	}
	if (err && errno != ENOENT)
		return -errno;
	table->count = count;
	return 0;
}

/* A row's key, beside its number: rows are sorted by these. */
struct keyed {
	const char *key;
	size_t size, row;
};

static int compare_keys(const void *a, const void *b)
{
	const struct keyed *left = a, *right = b;
	int order = memcmp(left->key, right->key, left->size);

	return order ? order : left->row < right->row ? -1 : 1;
}

static void add_value(struct table *table, size_t to, size_t from)
{
	uint64_t *sums = (uint64_t *)(table->values + to * table->value_size);
	const uint64_t *more = (const uint64_t *)(table->values + from * table->value_size);

	for (size_t i = 0; i < table->value_size / sizeof(*sums); i++)
		sums[i] += more[i];
}

/* Rows that are marked, by a size of 0, go. */
static void remove_rows(struct table *table, const struct keyed *rows)
{
	size_t kept = 0;

	for (size_t i = 0; i < table->count; i++) {
		if (!rows[i].size)
			continue;
		memmove(table->keys + kept * table->key_size, table->keys + i * table->key_size, table->key_size);
		memmove(table->values + kept * table->value_size, table->values + i * table->value_size, table->value_size);
		kept++;
	}
	table->count = kept;
}

int table__add_up(struct table *table)
{
	struct keyed *rows = calloc(2 * table->count + 1, sizeof(*rows)), *kept;
	size_t first = 0;

	if (!rows)
		return -ENOMEM;
	kept = rows + table->count;
	for (size_t i = 0; i < table->count; i++)
		kept[i] = rows[i] = (struct keyed){ table__key(table, i), table->key_size, i };
	qsort(rows, table->count, sizeof(*rows), compare_keys);
	for (size_t i = 1; i < table->count; i++) {
		if (memcmp(rows[i].key, rows[first].key, table->key_size)) {
			first = i;
			continue;
		}
		add_value(table, rows[first].row, rows[i].row);
		kept[rows[i].row].size = 0;
	}
	remove_rows(table, kept);
	free(rows);
	return 0;
}
