/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of a filter as a tree:  prev_pid == 0 && next_comm ~ "ssh*"
 *
 *	or       and || and ...
 *	and      not && not ...
 *	not      !not, or a comparison
 *	compare  bits, or bits OPERATOR bits with == != < <= > >= ~
 *	bits     one & one ...			binds more tightly than a comparison, unlike in C
 *	one      a number (7, -7, 0x1f, 017), a name (also file->f_mode, a.b, list[3]), "text", ( or )
 */
#ifndef PROBELIGHT_EXPR_H
#define PROBELIGHT_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum expr_kind {
	EXPR_NUMBER,
	EXPR_TEXT,
	EXPR_NAME,
	EXPR_BITS,	/* & */
	EXPR_EQ, EXPR_NE, EXPR_LT, EXPR_LE, EXPR_GT, EXPR_GE,
	EXPR_MATCH,	/* ~ */
	EXPR_NOT, EXPR_AND, EXPR_OR,
};

struct expr {
	enum expr_kind kind;
	unsigned int column;		/* where it stands, from 1; of an operator, the operator's */
	struct expr *left, *right;	/* of NOT only left */
	uint64_t number;
	bool is_large;			/* a number of 2^63 or more, which no signed type has; false for -1, whose bits are as many */
	const char *text;		/* of a name or a text, without the quotes, ended by a 0 byte */
};

struct expr_error {
	unsigned int column;		/* from 1; 0: about the whole */
	char why[240];
};

/*
 * Parses a filter.  0 and *tree, freed by expr__free(); -EINVAL with *error, which quotes the text as it is; -ENOMEM.
 */
int expr__parse(struct expr **tree, const char *text, struct expr_error *error);

/* Takes NULL. */
void expr__free(struct expr *tree);

/* As it is written: "&&". */
const char *expr__operator(enum expr_kind kind);

#endif
