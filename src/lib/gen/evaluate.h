/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A filter on a record that is already there, where no program has decided: of a recording.  It holds for the records for which the
 * instructions of condition.h hold for the event; the bytes are those that a recording has, so nothing is trusted.
 *
 *	evaluate__make(&filter, tree, format, &error);
 *	if (evaluate__holds(&filter, &record)) …
 *	evaluate__free(&filter);
 */
#ifndef PROBELIGHT_EVALUATE_H
#define PROBELIGHT_EVALUATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "expr.h"
#include "lib/format/format.h"
#include "operand.h"

/* What a name, or the constant on the right of a comparison, means. */
struct evaluate_part {
	const struct expr *at;
	bool is_constant;
	uint64_t number;		/* of a constant */
	struct operand operand;		/* of a name */
};

struct evaluate {
	const struct expr *tree;	/* NULL: it always holds */
	struct evaluate_part *parts;
	size_t count;
};

/* A record, as its format file describes it, from the common fields on, and what is known of its task. */
struct evaluate_record {
	const char *data;
	size_t size;			/* bytes */
	uint32_t tid, cpu;
	const char *comm;		/* NULL: not known; a comparison with it does not hold */
};

/*
 * The filter is one that condition__emit() took; tree (NULL: none) and format must live as long.  0, -ENOMEM, or -EOPNOTSUPP with *error:
 * it asks for what records do not have, the process, the user, or memory behind a pointer.
 */
int evaluate__make(struct evaluate *evaluate, const struct expr *tree, const struct format *format, struct expr_error *error);

/* A value that lies outside of the record cannot be read: a comparison with it does not hold. */
bool evaluate__holds(const struct evaluate *evaluate, const struct evaluate_record *record);

/* Takes a zeroed one. */
void evaluate__free(struct evaluate *evaluate);

#endif
