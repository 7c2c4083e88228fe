/* SPDX-License-Identifier: BSD-2-Clause */
/* How an event's print fmt prints one of its fields. */
#ifndef PROBELIGHT_PRINTED_H
#define PROBELIGHT_PRINTED_H

#include "print_expr.h"
#include "print_fmt.h"

enum printed_kind {
	PRINTED_NOT,		/* not at all, with others in one expression, or in a way that is not known */
	PRINTED_BARE,		/* the value itself */
	PRINTED_TEXT,		/* names, flags, one text or another, a list */
	PRINTED_COMPUTED,	/* a number that is made of it */
	PRINTED_DEVICE,		/* a major and a minor number */
};

#define PRINTED_PIECES_MAX 8

struct printed {
	enum printed_kind kind;
	/* those that are printed beside each other; of BARE one */
	struct print_expr *exprs[PRINTED_PIECES_MAX];
	char conversions[PRINTED_PIECES_MAX][PRINT_FMT_CONVERSION_SIZE];
	unsigned int sizes[PRINTED_PIECES_MAX];	/* of the numbers that the conversions take */
	size_t count;
	bool is_text_at;	/* of NOT: the value is the address of a text, which the kernel prints */
};

/*
 * Finds how the field is printed. Where that is more than once, names and texts are preferred, then the value itself. 0 or -ENOMEM;
 * printed__free() releases it.
 */
int printed__find(struct printed *printed, const struct format *format, const struct format_field *field);
void printed__free(struct printed *printed);

/* A text is at most so long, whatever is in the print fmt. */
#define PRINTED_MAX 4096

/* Bytes that printed__text() writes at most, of a field of so many bytes. */
size_t printed__room(const struct printed *printed, size_t size);

/*
 * Writes the text to PRINTED_MAX bytes at `to`. Its length, or -errno, as of print_expr__eval(). *is_unnamed: it is a number that the
 * print fmt has no name for.
 */
int printed__text(const struct printed *printed, const struct print_field *field, char *to, bool *is_unnamed);

#endif
