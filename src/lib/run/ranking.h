/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of a table in the order in which they are printed: the heaviest first. */
#ifndef PROBELIGHT_RANKING_H
#define PROBELIGHT_RANKING_H

#include <stddef.h>
#include <stdint.h>

#include "intervals.h"
#include "table.h"

struct ranked {
	uint64_t weight;
	size_t row;		/* for table__key() and table__value() */
};

/*
 * table->count of them, for the caller to free; NULL without memory.  weigh: gives the weight of a row's value.  Rows of the
 * same weight keep their order.
 */
struct ranked *ranking__make(const struct table *table, uint64_t (*weigh)(const void *value));

/* What the rows of a tool are whose values are sums alone: `numbers` of 64 bits each. */
struct ranked_rows {
	size_t numbers;
	uint64_t (*weigh)(const void *value);
	/* key: NULL for the others; a value without events has no row. */
	void (*print)(struct tool *tool, const struct interval *interval, const void *key, const void *value);
};

/*
 * Prints an interval's rows in their order: those of options.rows_max keys, then the others as one.  table: interval->table or one of
 * its kind.  others and all are values: what was counted without a key, to which the keys below are added, and the sum of all rows,
 * which is set.  0, or -errno: tool->err, and nothing is printed.
 */
int ranking__print(struct tool *tool, const struct interval *interval, const struct table *table, const struct ranked_rows *rows,
		   void *others, void *all);

#endif
