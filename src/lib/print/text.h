/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Untrusted bytes (names, paths, messages) as text that is safe on a terminal, and as JSON strings.  Pure functions: they
 * only read `string` and write to `to`.
 *
 * Text is exact: unescaping gives the same bytes back.  It never contains a character that a terminal acts on, that
 * reorders a line or that takes no place on it (see text__is_shown()).
 */
#ifndef PROBELIGHT_TEXT_H
#define PROBELIGHT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most bytes that text__escape() and text__quote() write for size bytes; no 0 byte is among them. */
#define TEXT_ESCAPED_MAX(size) ((size) * 4)
#define TEXT_QUOTED_MAX(size) ((size) * 6 + 2)

/*
 * Whether a character is printed as it is.  Not shown, and escaped everywhere, are:
 *   - the control characters: C0, DEL, C1;
 *   - U+2028 and U+2029, which end a line for some programs, and the annotation marks U+FFF9 to U+FFFB;
 *   - all that Unicode calls Default_Ignorable_Code_Point (DerivedCoreProperties.txt, version 15): the bidirectional
 *     controls, which reorder what follows, zero width characters, variation selectors, fillers and tags, which hide.
 * Variation selectors and U+200D are part of many emoji, and U+200C of Persian words: these are escaped, too, because two
 * names that differ in them alone look the same.
 */
bool text__is_shown(uint32_t code_point);

/*
 * The length of the UTF-8 sequence at string, 1 to 4 of size bytes (at least one), and its *code_point; 0 if it is invalid.
 * Then *bad bytes are to be replaced by one U+FFFD (Unicode 15, 3.9: maximal subparts).
 */
size_t text__utf8(const char *string, size_t size, uint32_t *code_point, size_t *bad);

/*
 * Writes the escaped form of size bytes: newline as \n, backslash as \\, invalid bytes and every byte of a character that is
 * not shown as \xNN.  Returns its end; *characters is what a terminal shows, a sequence counted as one.
 */
char *text__escape(char *to, const char *string, size_t size, size_t *characters);

/*
 * Writes size bytes as a JSON string with its quotes: invalid bytes become U+FFFD (then *valid is false), characters that are
 * not shown are written as \uNNNN, beyond U+FFFF as a surrogate pair.  Returns its end.
 */
char *text__quote(char *to, const char *string, size_t size, bool *valid);

/*
 * A name of up to size bytes, which ends at its 0 byte; without one it was cut: its last byte becomes [+more].  to has
 * size + sizeof(TEXT_MORE) bytes.  Returns the length.
 */
#define TEXT_MORE "[+more]"
size_t text__name(char *to, const char *name, size_t size);

/* Writes size bytes as 2 * size hexadecimal digits; returns their end. */
char *text__hex(char *to, const char *bytes, size_t size);

#endif
