/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows that are counted by their values, where no program counts: keys of any length, how many rows had which, and, if wanted, a
 * histogram for each, and the sums of a few numbers.  The table is bounded: a new key that finds no room counts with the others.
 */
#ifndef PROBELIGHT_ROW_COUNTS_H
#define PROBELIGHT_ROW_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/kernel/hash.h"
#include "lib/shared/hist.h"

#define ROW_COUNTS_BYTES (16u << 20)	/* of all keys together */

struct row_sum {
	uint64_t total, rows;		/* rows: that had a number */
};

struct row_count {
	char *key;			/* NULL: the others */
	size_t size;
	uint64_t count;
	size_t number;			/* in the order in which they came */
	struct hist_rough *hist;	/* NULL: not wanted */
	struct row_sum *sums;		/* NULL: not wanted */
};

/* Zeroed but for what the caller sets. */
struct row_counts {
	size_t keys_max;		/* the caller's */
	bool with_hists;		/* the caller's */
	size_t sums;			/* the caller's: how many */
	const size_t *rank_by;		/* the caller's: the number of the sum that decides the order; NULL: the count does */

	struct row_count *list;		/* `count` of them */
	size_t count;
	struct row_count others;	/* of the keys that found no room */
	/* the rest is row_counts.c's */
	size_t room, bytes;
	uint64_t seed;
	struct hash places;
};

/*
 * The count of a key; a new key begins at 0.  Without room (or memory) for a new key: the count of the others.  Valid until the next
 * call.
 */
struct row_count *row_counts__at(struct row_counts *counts, const char *key, size_t size);

/* Adds the sums of one to those of another. */
void row_counts__add_sums(const struct row_counts *counts, struct row_count *to, const struct row_count *from);

/*
 * Sorts the list: the largest count, or sum, first, the earlier key of two with the same.  Then only row_counts__clear() may
 * follow.
 */
void row_counts__rank(struct row_counts *counts);

/* Empties the table, and gives its memory back. */
void row_counts__clear(struct row_counts *counts);

#endif
