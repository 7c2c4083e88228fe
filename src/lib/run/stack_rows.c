/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A key of the table, before those with the same digest are put together. */
struct candidate {
	struct stack_digest digest;
	uint64_t weight;
	size_t row;
};

/* Those with the same digest stand together, the heaviest first. */
static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *left = a, *right = b;
	int order = memcmp(&left->digest, &right->digest, sizeof(left->digest));

	if (order)
		return order;
	if (left->weight != right->weight)
		return left->weight < right->weight ? 1 : -1;
	return left->row < right->row ? -1 : 1;
}

/* Rows of the same weight keep the order of their keys in the table. */
static int compare_rows(const void *a, const void *b)
{
	const struct stack_row *left = a, *right = b;

	if (left->weight != right->weight)
		return left->weight < right->weight ? 1 : -1;
	return left->key < right->key ? -1 : left->key > right->key;
}

static void put_together(struct stack_rows *rows, const struct table *table, const struct candidate *candidates)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct stack_value *value = table__value(table, candidates[i].row);
		const struct stack_longest *longest;
		struct stack_row *row;

		if (!i || memcmp(&candidates[i].digest, &candidates[i - 1].digest, sizeof(candidates[i].digest)))
			rows->list[rows->count++] = (struct stack_row){ .key = table__key(table, candidates[i].row) };
		row = &rows->list[rows->count - 1];
		row->value.count += value->count;
		row->value.ns += value->ns;
		if (table->value_size == sizeof(*longest)) {
			longest = (const struct stack_longest *)value;
			row->max_ns = longest->max_ns > row->max_ns ? longest->max_ns : row->max_ns;
		}
		row->weight += candidates[i].weight;
	}
}

int stack_rows__make(struct stack_rows *rows, const struct table *table, uint64_t (*weigh)(const void *value),
		     struct stack_digest (*digest)(void *ctx, const struct stack_key *key), void *ctx)
{
	struct candidate *candidates = calloc(table->count + 1, sizeof(*candidates));

	*rows = (struct stack_rows){ .list = calloc(table->count + 1, sizeof(*rows->list)) };
	if (!candidates || !rows->list) {
		free(candidates);
		stack_rows__free(rows);
		return -ENOMEM;
	}
	for (size_t i = 0; i < table->count; i++)
		candidates[i] = (struct candidate){ digest(ctx, table__key(table, i)), weigh(table__value(table, i)), i };
	qsort(candidates, table->count, sizeof(*candidates), compare_candidates);
	put_together(rows, table, candidates);
	qsort(rows->list, rows->count, sizeof(*rows->list), compare_rows);
	free(candidates);
	return 0;
}

void stack_rows__free(struct stack_rows *rows)
{
	free(rows->list);
	*rows = (struct stack_rows){ .list = NULL };
}
