/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values of a row as they were written, to be written again: of those that are the same in row after row.  Of one struct out, and one place
 * in its rows; zeroed it is empty.  Write the values between piece__begin() and piece__end(), where piece__again() is false.
 */
#ifndef PROBELIGHT_PIECE_H
#define PROBELIGHT_PIECE_H

#include "out_row.h"

#define PIECE_SIZE 192
/* Bytes are copied in blocks, which may run past the piece's end into room that is there (out_row.h). */
#define PIECE_BLOCK 32

_Static_assert(PIECE_SIZE % PIECE_BLOCK == 0, "a piece is whole blocks");
_Static_assert(PIECE_BLOCK <= OUT_SLACK, "a block may run so far past the row's end");

struct piece {
	const struct out_slot *begin, *end;	/* the value before, and the last one; begin NULL: empty */
	size_t pad_before, pad_behind;		/* of struct out */
	size_t size;				/* up to PIECE_SIZE */
	char bytes[PIECE_SIZE];
};

/* Writes the values again and is true, where the piece has them and is of this place. */
static inline bool piece__again(struct out *out, const struct piece *piece)
{
	char *to;

	/* what stands before it decides how many spaces it begins with */
	if (piece->begin != out->slot || piece->pad_before != out->pad)
		return false;
	to = out_row__reserve(out, piece->size);
	if (!to)
		return true;
	for (size_t i = 0; i < piece->size; i += PIECE_BLOCK)
		memcpy(to + i, piece->bytes + i, PIECE_BLOCK);
	out->used += piece->size;
	out->pad = piece->pad_behind;
	out->slot = piece->end;
	return true;
}

static inline void piece__begin(const struct out *out, struct piece *piece)
{
	piece->begin = out->slot;
	piece->pad_before = out->pad;
	/* the row may move in the buffer meanwhile */
	piece->size = out->used - out->row_start;
}

/* Keeps what was written since, unless it is too long. */
static inline void piece__end(const struct out *out, struct piece *piece)
{
	size_t size = out->used - out->row_start - piece->size;

	if (out->error || size > PIECE_SIZE) {
		piece->begin = NULL;
		return;
	}
	memcpy(piece->bytes, out->buffer + out->used - size, size);
	piece->size = size;
	piece->end = out->slot;
	piece->pad_behind = out->pad;
}

#endif
