/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The values that an event is counted by, and the function that puts them into the program's memory, in words of 8 bytes:
 *
 *	word 0		the task's pid << 32 | tid: the function reads it
 *	word 1		which event it is: the program's, and the first word of the key that it counts under
 *	from word 2	the values
 *
 * A number takes a word, with its sign.  A text takes as many as it may need, and is followed by 0 bytes, so that equal texts are equal
 * keys whatever the kernel has behind them.  A dynamic text has a word before it: how many bytes it is too long by.  A value in memory
 * has a word with -errno where it cannot be read: before a text, else with its bytes; behind a number, else 0.
 */
#ifndef PROBELIGHT_KEY_H
#define PROBELIGHT_KEY_H

#include "lib/print/fault.h"
#include "lib/printfmt/shown.h"
#include "operand.h"
#include "record.h"

#define KEY_START 8		/* bytes: word 1 */
#define KEY_VALUES 16		/* where the values begin */
#define KEY_SIZE_MAX 520	/* bytes of all of it: a key may have 512 (MAX_BPF_STACK, kernel/bpf/hashtab.c) */
#define KEY_PARTS_MAX 16
#define KEY_TEXT_MAX 128	/* bytes of a dynamic text, with its 0 byte */

struct key_part {
	struct operand operand;
	struct shown shown;
	unsigned int offset, size;	/* bytes */
};

struct key {
	struct key_part *parts;		/* plans of a thousand events have a key each */
	size_t count;
	unsigned int size;		/* bytes of the memory, a multiple of 8 */
};

/*
 * Plans the key of the values with these names.  0, released by key__free() (also a zeroed one); -EINVAL with one line in fault; -ENOMEM.
 * format must live as long.
 */
int key__plan(struct key *key, const struct format *format, const char *const *names, size_t count, struct fault *fault);
void key__free(struct key *key);

/*
 * Writes the function: called with the context in r1 and the memory in r2, it returns 1 if a value could not be read, else 0.  0 or as of
 * emit__finish().
 */
int key__emit(struct emit *emit, const struct key *key);

/* A value in a key, which is the memory from word 1 on and must live as long; bytes is NULL for one that could not be read. */
struct record_value key__value(const struct key_part *part, const void *key);

#endif
