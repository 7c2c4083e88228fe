/* SPDX-License-Identifier: BSD-2-Clause */
#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/print/others.h"
#include "lib/run/task_keys.h"

#define MINOR_BITS 20		/* of the kernel's own dev_t */

void cache_rows__add(struct cachestat_counts *to, const struct cachestat_counts *counts)
{
	const __u64 *words = (const __u64 *)counts;

	for (size_t i = 0; i < CACHESTAT_WORDS; i++)
		((__u64 *)to)[i] += words[i];
}

void cache_rows__put_file(struct out *out, const struct cachestat_key *key, bool by_file)
{
	char text[48];
	size_t size;

	if (!by_file || !key) {
		out__none(out);
		out__none(out);
		if (by_file && !task_keys__kind())
			out__path(out, OTHERS, strlen(OTHERS), 0);
		else
			out__no_path(out);
		return;
	}
	out__int(out, (int64_t)key->inode);
	size = (size_t)snprintf(text, sizeof(text), "%u:%u", key->device >> MINOR_BITS, key->device & ((1u << MINOR_BITS) - 1));
	if (key->device)
		out__string(out, text, size);
	else
		out__none(out);
	if (*key->name) {
		out__path(out, key->name, strnlen(key->name, sizeof(key->name)), key->is_cut);
		return;
	}
	if (out->json) {
		out__no_path(out);
		return;
	}
	if (key->device)
		size = (size_t)snprintf(text, sizeof(text), "[device %u:%u]", key->device >> MINOR_BITS,
					key->device & ((1u << MINOR_BITS) - 1));
	else
		size = (size_t)snprintf(text, sizeof(text), "[inode %llu]", (unsigned long long)key->inode);
	out__path(out, text, size, 0);
}

static int compare_files(const struct cachestat_key *a, const struct cachestat_key *b)
{
	int order = memcmp(&a->task, &b->task, sizeof(a->task));

	if (!order && a->dev != b->dev)
		order = a->dev < b->dev ? -1 : 1;
	if (!order && a->inode != b->inode)
		order = a->inode < b->inode ? -1 : 1;
	return order;
}

/* The name first that is there. */
static int compare_rows(const void *a, const void *b)
{
	const struct cachestat_key *first = &((const struct cache_row *)a)->key, *second = &((const struct cache_row *)b)->key;
	int order = compare_files(first, second);

	return order ? order : memcmp(second->name, first->name, sizeof(first->name));
}

static size_t copy_rows(struct cache_row *to, const struct table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		memcpy(&to[i].key, table__key(table, i), sizeof(to[i].key));
		memcpy(&to[i].counts, table__value(table, i), sizeof(to[i].counts));
	}
	return table->count;
}

struct cache_row *cache_rows__of(const struct table *table, const struct table *more, size_t *count)
{
	struct cache_row *rows = calloc(table->count + (more ? more->count : 0) + 1, sizeof(*rows));
	size_t all, used = 0;

	if (!rows)
		return NULL;
	all = copy_rows(rows, table);
	if (more)
		all += copy_rows(rows + all, more);
	qsort(rows, all, sizeof(*rows), compare_rows);
	for (size_t i = 0; i < all; i++) {
		if (used && !compare_files(&rows[used - 1].key, &rows[i].key)) {
			cache_rows__add(&rows[used - 1].counts, &rows[i].counts);
			rows[used - 1].key.device |= rows[i].key.device;
		} else {
			rows[used++] = rows[i];
		}
	}
	*count = used;
	return rows;
}

static uint64_t (*weigh)(const struct cachestat_counts *counts);

static int compare_weights(const void *a, const void *b)
{
	uint64_t first = weigh(&((const struct cache_row *)a)->counts), second = weigh(&((const struct cache_row *)b)->counts);

	return first == second ? compare_rows(a, b) : first < second ? 1 : -1;
}

void cache_rows__sort(struct cache_row *rows, size_t count, uint64_t (*weight)(const struct cachestat_counts *counts))
{
	weigh = weight;
	qsort(rows, count, sizeof(*rows), compare_weights);
}
