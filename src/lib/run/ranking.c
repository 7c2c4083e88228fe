/* SPDX-License-Identifier: BSD-2-Clause */
#include "ranking.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

static void add(void *value, const void *more, size_t count)
{
	const uint64_t *numbers = more;
	uint64_t *to = value;

	for (size_t i = 0; i < count; i++)
		to[i] += numbers[i];
}

int ranking__print(struct tool *tool, const struct interval *interval, const struct table *table, const struct ranked_rows *rows,
		   void *others, void *all)
{
	struct ranked *ranking = ranking__make(table, rows->weigh);

	if (!ranking)
		return tool__fail(tool, -ENOMEM, "no memory for %zu rows", table->count);
	memcpy(all, others, rows->numbers * sizeof(uint64_t));
	for (size_t i = 0; i < table->count; i++) {
		const void *value = table__value(table, ranking[i].row);

		add(all, value, rows->numbers);
		if (i < tool->options.rows_max)
			rows->print(tool, interval, table__key(table, ranking[i].row), value);
		else
			add(others, value, rows->numbers);
	}
	free(ranking);
	rows->print(tool, interval, NULL, others);
	return 0;
}
