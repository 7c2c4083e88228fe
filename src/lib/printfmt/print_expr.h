/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An argument of a print fmt: a C expression over the fields of a record, with the functions that the kernel's trace events print with
 * (include/trace/stages/stage3_trace_output.h).
 *
 *	(REC->state & 3) ? __print_flags(REC->state & 3, "|", { 1, "S" }, { 2, "D" }) : "R"
 *
 * The text is untrusted. Parsing takes time and memory linear in it, at most PRINT_EXPR_DEPTH calls deep; so does evaluating. Numbers have
 * the types that they have in C, on a 64-bit kernel.
 */
#ifndef PROBELIGHT_PRINT_EXPR_H
#define PROBELIGHT_PRINT_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/format/format.h"

/* Expressions within each other; those of the kernel have two dozen. */
#define PRINT_EXPR_DEPTH 96

struct print_expr;

enum print_kind {
	PRINT_NUMBER,
	PRINT_TEXT,		/* a string, a name, flags, a list */
	PRINT_BYTES,		/* an array or a struct */
};

/* The value of the expression's field: of a number `size` bytes, as struct ctx_number tells; else the bytes that there are. */
struct print_field {
	const void *bytes;
	size_t size;
	size_t total;		/* bytes that there were, of a field that was cut */
	bool is_signed;
};

struct print_value {
	enum print_kind kind;
	uint64_t number;	/* 64 bits with their sign */
	unsigned int size;	/* of the number's type: 4 or 8 */
	bool is_unsigned;
	bool is_unnamed;	/* the text is a number that __print_symbolic() has no name for */
	const char *bytes;	/* of a text or bytes, in the field, the expression or the room */
	size_t length;
};

/*
 * Parses the text up to end. 0 and *expr, released by print_expr__free(); -EOPNOTSUPP: it has something else in it; -EXDEV: it has several
 * fields; -ENOMEM. format must live as long.
 */
int print_expr__parse(struct print_expr **expr, const struct format *format, const char *text, const char *end);
void print_expr__free(struct print_expr *expr);

/* The only field that it reads, or NULL. */
const struct format_field *print_expr__field(const struct print_expr *expr);

/* Whether its value is a text; whether it is the field and nothing else, but for casts that leave its value as it is. */
bool print_expr__is_text(const struct print_expr *expr);
bool print_expr__is_bare(const struct print_expr *expr);

/* Whether a list of names in it has values that are no constants: these names are not shown. */
bool print_expr__is_partial(const struct print_expr *expr);

/* Bytes that the text of a field of so many bytes takes at most. */
size_t print_expr__room(const struct print_expr *expr, size_t size);

/*
 * Evaluates it; a text is made in `room` bytes at `to`, unless it stands elsewhere. field may be NULL where the expression has none. 0, or
 * -EINVAL: a division by 0, an element that is not there, a number that is none; -E2BIG: no room for the text.
 */
int print_expr__eval(const struct print_expr *expr, const struct print_field *field, struct print_value *value, char *to, size_t room);

#endif
