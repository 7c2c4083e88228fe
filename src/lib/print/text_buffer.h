/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text that is put together piece by piece, in an array of a fixed size or in memory that grows.
 *
 *	char line[128];
 *	struct text_buffer text = text_buffer__fixed(line, sizeof(line));
 *
 *	text_buffer__add(&text, "no function '%s'", name);
 *	text_buffer__add(&text, " in '%s'", module);		line is always ended by a 0 byte
 *
 *	struct text_buffer text = text_buffer__growing(1 << 20);
 *
 *	text_buffer__add(&text, ...);
 *	char *all = text_buffer__take(&text);			the caller frees it; NULL: out of memory, or too long
 *
 * The first error sticks: a text never has a piece in its middle left out.
 */
#ifndef PROBELIGHT_TEXT_BUFFER_H
#define PROBELIGHT_TEXT_BUFFER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct text_buffer {
	char *text;		/* ended by a 0 byte; NULL: nothing was added to a growing one yet */
	size_t length;		/* without the 0 byte */
	size_t room;		/* bytes at text */
	size_t size_max;	/* up to which it grows; 0: text is the caller's array, and its size is fixed */
	int err;		/* 0, -ENOSPC: cut at the array's end, -EFBIG: beyond size_max, -ENOMEM */
};

/* In an array of size bytes, at least one.  It must outlive the buffer.  The text is empty at first. */
struct text_buffer text_buffer__fixed(char *array, size_t size);

/* In memory that grows up to size_max bytes, the 0 byte included. */
struct text_buffer text_buffer__growing(size_t size_max);

/* Appends as printf(3).  What does not fit into a fixed array is cut. */
void __attribute__((format(printf, 2, 3))) text_buffer__add(struct text_buffer *buffer, const char *format, ...);
void __attribute__((format(printf, 2, 0))) text_buffer__vadd(struct text_buffer *buffer, const char *format, va_list args);

/* Appends size bytes, none of which is 0. */
void text_buffer__put(struct text_buffer *buffer, const char *bytes, size_t size);

/*
 * Room for size bytes at the end of a growing text, NULL after an error.  The caller writes there and calls text_buffer__end_at()
 * with the end of what it wrote before anything else is done with the buffer.
 */
char *text_buffer__reserve(struct text_buffer *buffer, size_t size);
void text_buffer__end_at(struct text_buffer *buffer, char *end);

/* Empties a growing text and its error, and keeps its memory. */
void text_buffer__clear(struct text_buffer *buffer);

/* Appends names in single quotes: 'a', 'b' with ", " between. */
void text_buffer__add_quoted(struct text_buffer *buffer, const char *const *names, size_t count, const char *between);

/*
 * The text of a growing buffer, "" if nothing was added, to be freed by the caller; NULL after an error.  The buffer is
 * empty afterwards.
 */
char *text_buffer__take(struct text_buffer *buffer);

/* Frees what a growing buffer holds. */
void text_buffer__free(struct text_buffer *buffer);

#endif
