/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions that compare a string with a text or with a pattern. */
#ifndef PROBELIGHT_MATCH_H
#define PROBELIGHT_MATCH_H

#include "emit.h"

/* The string: size bytes at base + offset, which the program may read; a 0 byte among them ends it.  Reads clobber r0. */
struct match_string {
	int base;		/* a register other than r0 */
	int offset;
	unsigned int size;
};

/* Goes to yes if the string is that text, else to no.  There is a way to both. */
void match__equal(struct emit *emit, const struct match_string *string, const char *text, emit_label yes, emit_label no);

/*
 * The same for a pattern of the shell: * any text, ? any byte, [a-z] and [!a-z] a byte of these or none of these, \\ before a
 * byte that is meant as such.  Straight-line code without a loop: it searches for the parts between the asterisks one after the
 * other, each at each place, and so has about as many instructions as the string's bytes times those of the pattern.
 * -EINVAL: a "[" is not closed; nothing was written.  -ENOMEM.
 */
int match__glob(struct emit *emit, const struct match_string *string, const char *pattern, emit_label yes, emit_label no);

/* How many bytes a string has at least that the pattern matches; 0 also of a pattern with a "[" that is not closed. */
size_t match__least(const char *pattern);

#endif
