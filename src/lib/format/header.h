/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A C header as text: what of it is code, and what is declared there.  It knows as much of C as ctxgen writes; the rest is to be
 * passed over, or refused.
 */
#ifndef PROBELIGHT_HEADER_H
#define PROBELIGHT_HEADER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Puts blanks in the place of comments, literals and the preprocessor's lines, but for their newlines.  NULL, or the
 * start of a comment that does not end.
 */
const char *header__blank(char *text);

bool header__is_word(char c);			/* a character of names and keywords */
char *header__skip_spaces(char *text);

/* In place: one space between words, none around "*" but the one before it, none at the ends. */
void header__normalise(char *text);

/*
 * The name of the one member that a normalised declaration declares, its brackets left aside: copied to name (size bytes).  False
 * where there is more than one ("int a, b"), or something that ctxgen does not write (a bit-field, a function).
 */
bool header__declared_name(const char *declaration, char *name, size_t size);

/* pos: the first brace of a member whose type has braces of its own.  Returns what is behind that member. */
char *header__skip_nested(char *pos);

/*
 * pos: behind the word "struct".  The name of what is defined there, attributes left aside, or NULL where nothing is
 * ("struct tp_x *ctx").  Sets *name_end, and *body to what is behind the brace.
 */
char *header__defined_name(char *pos, char **name_end, char **body);

#endif
