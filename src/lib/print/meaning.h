/* SPDX-License-Identifier: BSD-2-Clause */
/* What the numbers of a field mean: errors, values by name, flags by name, or both in one number, as in O_WRONLY|O_CREAT. */
#ifndef PROBELIGHT_MEANING_H
#define PROBELIGHT_MEANING_H

#include <stdbool.h>

#include "flags.h"

/* Bytes of a text: all flags of the longest table. */
#define MEANING_MAX 1024

struct meaning {
	uint64_t mask;				/* the bits that hold one of values; those of flags are others */
	const struct flag_name *values;		/* a table as of flags.h, whose bits are a value each; NULL: none */
	const struct flag_name *flags;		/* NULL: the number is a value, and has no flags */
	bool is_error;				/* instead: below 0 it is an error, such as a system call returns */
	bool is_octal;				/* instead: shown in octal */
};

/*
 * Writes the name, or the flags joined by "|", to text (size bytes) and returns text; bits without a name come last, as one hexadecimal
 * number. NULL: the number has no name, and is shown as a number.
 */
const char *meaning__text(const struct meaning *meaning, uint64_t number, char *text, size_t size);

/* The number that a name stands for. Whether there is one. */
bool meaning__number(const struct meaning *meaning, const char *name, uint64_t *number);

#endif
