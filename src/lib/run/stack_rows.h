/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows that a table of stacks is printed as: keys whose rows would read the same are one row.  Programs count by the
 * addresses of return, so a function that calls another one at five places, or is interrupted anywhere, has many keys.
 */
#ifndef PROBELIGHT_STACK_ROWS_H
#define PROBELIGHT_STACK_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/shared/stack.h"
#include "table.h"

struct stack_row {
	const struct stack_key *key;	/* of the heaviest one; the table's */
	struct stack_value value;	/* of all together */
	uint64_t max_ns;		/* of values that are a struct stack_longest; else 0 */
	uint64_t weight;
};

struct stack_rows {
	struct stack_row *list;		/* the heaviest first */
	size_t count;
};

/* What a row says besides its numbers, in 128 bits; keys that have the same are one row. */
struct stack_digest {
	uint64_t halves[2];
};

/*
 * 0, and rows that stack_rows__free() releases, or -ENOMEM.  digest() gives what a key's row says, weigh() the weight of a value.
 */
int stack_rows__make(struct stack_rows *rows, const struct table *table, uint64_t (*weigh)(const void *value),
		     struct stack_digest (*digest)(void *ctx, const struct stack_key *key), void *ctx);
void stack_rows__free(struct stack_rows *rows);

#endif
