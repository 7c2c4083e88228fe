/* SPDX-License-Identifier: BSD-2-Clause */
#include "ranking.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	const struct ranked *left = a, *right = b;

	if (left->weight != right->weight)
		return left->weight < right->weight ? 1 : -1;
	return left->row < right->row ? -1 : 1;
}

struct ranked *ranking__make(const struct table *table, uint64_t (*weigh)(const void *value))
{
	struct ranked *ranking = calloc(table->count + 1, sizeof(*ranking));

	for (size_t i = 0; ranking && i < table->count; i++)
		ranking[i] = (struct ranked){ weigh(table__value(table, i)), i };
	if (ranking)
		qsort(ranking, table->count, sizeof(*ranking), compare);
	return ranking;
}
