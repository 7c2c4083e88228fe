/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of a table in the order in which they are printed: the heaviest first. */
#ifndef PROBELIGHT_RANKING_H
#define PROBELIGHT_RANKING_H

#include <stddef.h>
#include <stdint.h>

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

#endif
