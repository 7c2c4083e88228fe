/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pieces of a print fmt, one for each conversion of its format string:
 *
 *	"prev_pid=%d state=%s%s", REC->prev_pid, …		"d" REC->prev_pid, "s" …
 */
#ifndef PROBELIGHT_PRINT_FMT_H
#define PROBELIGHT_PRINT_FMT_H

#include <stdbool.h>
#include <stddef.h>

#define PRINT_FMT_CONVERSION_SIZE 8

struct print_piece {
	char conversion[PRINT_FMT_CONVERSION_SIZE];	/* "d", "s", "pI4": without flags, width and length */
	unsigned int size;			/* bytes of the number that it takes: 1, 2, 4 or 8 */
	const char *argument, *argument_end;
	const char *length, *length_end;	/* the argument of a "*" in it, or NULL */
	bool is_adjacent;			/* no text is between the piece before and this one */
};

/* Zeroed, but for print_fmt. */
struct print_fmt {
	const char *print_fmt;			/* as struct format has it; it must live as long */
	const char *at, *format_end, *rest;
};

/* The next piece. False at the end, and where the text is not what the kernel writes. */
bool print_fmt__next(struct print_fmt *fmt, struct print_piece *piece);

/* Moves behind the string that begins with the quote at `at`; at the end of the text at most. */
const char *print_fmt__skip_quoted(const char *at);

#endif
