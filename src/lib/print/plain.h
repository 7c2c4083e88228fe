/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copying strings of plain characters: printable ASCII, which needs no escaping.  Nearly every string is all plain, and most
 * of a row is strings, so this looks at 16 bytes at a time, and is in line.
 */
#ifndef PROBELIGHT_PLAIN_H
#define PROBELIGHT_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Sixteen bytes, which the compiler compares all at once, and eight. */
typedef signed char bytes16 __attribute__((vector_size(16)));
typedef signed char bytes8 __attribute__((vector_size(8)));

/* 0xff for each byte that is not printable ASCII (from 0x80 on they are negative), or is the backslash or `besides`. */
#define not_plain(bytes, besides) (((bytes) < 0x20) | ((bytes) == 0x7f) | ((bytes) == '\\') | ((bytes) == (besides)))

static inline __attribute__((always_inline)) bool is_plain16(const char *string, char *to, const char besides)
{
	uint64_t odd[2];
	bytes16 bytes;

	memcpy(&bytes, string, 16);
	memcpy(to, &bytes, 16);
	bytes = not_plain(bytes, besides);
	memcpy(odd, &bytes, 16);
	return !(odd[0] | odd[1]);
}

static inline __attribute__((always_inline)) bool is_plain8(uint64_t word, const char besides)
{
	uint64_t odd;
	bytes8 bytes;

	memcpy(&bytes, &word, 8);
	bytes = not_plain(bytes, besides);
	memcpy(&odd, &bytes, 8);
	return !odd;
}

/*
 * Copies size bytes if all of them are plain and none is `besides`.  Returns false if not: the bytes at `to` are then
 * undefined.  The last block may overlap the one before it, so nothing is read or written beyond size bytes.
 */
static inline __attribute__((always_inline)) bool plain__copy(char *to, const char *string, size_t size, const char besides)
{
	uint32_t first, last;
	uint64_t head, tail;

	if (size >= 16) {
		for (size_t at = 0; size - at > 16; at += 16)
			if (!is_plain16(string + at, to + at, besides))
				return false;
		return is_plain16(string + size - 16, to + size - 16, besides);
	}
	if (size >= 8) {
		memcpy(&head, string, 8);
		memcpy(&tail, string + size - 8, 8);
		memcpy(to, &head, 8);
		memcpy(to + size - 8, &tail, 8);
		return is_plain8(head, besides) && is_plain8(tail, besides);
	}
	if (size >= 4) {
		memcpy(&first, string, 4);
		memcpy(&last, string + size - 4, 4);
		memcpy(to, &first, 4);
		memcpy(to + size - 4, &last, 4);
		return is_plain8((uint64_t)last << 32 | first, besides);
	}
	for (size_t at = 0; at < size; at++) {
		if ((unsigned char)string[at] < 0x20 || (unsigned char)string[at] > 0x7e || string[at] == '\\' ||
		    string[at] == besides)
			return false;
		to[at] = string[at];
	}
	return true;
}

#endif
