/* SPDX-License-Identifier: BSD-2-Clause */
/* Flags by name: "MS_NOSUID|MS_NODEV". */
#ifndef PROBELIGHT_FLAGS_H
#define PROBELIGHT_FLAGS_H

#include <stddef.h>
#include <stdint.h>

/* A bit, or several; a table of them ends with one that has no name. */
struct flag_name {
	uint64_t bits;
	const char *name;
};

/*
 * Writes value's names to text (size bytes), joined by "|"; bits that names (which may be NULL) does not have come last, as one
 * hexadecimal number.  Where names have bits in common, the first one takes them.  "0" if no bit is set.  What does not fit is cut.
 * Returns text.
 */
char *flags__text(const struct flag_name *names, uint64_t value, char *text, size_t size);

#endif
