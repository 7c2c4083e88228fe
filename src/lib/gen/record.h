/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A copy of an event's context: which parts of it a program takes along, the function that copies them, and where the values are in
 * the copy.
 *
 * The copy has everything at the place where the context has it, and behind that a room for each dynamic field.  Its first 8 bytes
 * are not the event's (programs cannot read those), and words that no wanted field is in are left as they are.
 *
 * Arguments (lib/format/arguments.h) stand one behind the other: a number in a word; a value in memory in a word that has -errno or not
 * (of a text its bytes with the 0 byte), and behind it the number, or the text.
 */
#ifndef PROBELIGHT_RECORD_H
#define PROBELIGHT_RECORD_H

#include "emit.h"
#include "lib/format/ctx.h"
#include "lib/print/fault.h"

/* Bytes of a dynamic field that are copied at most. */
#define RECORD_DYNAMIC_MAX 256

/* All texts of an array together: of 64 there are 104 bytes each. */
#define RECORD_TEXTS_MAX 7680

struct record_field {
	const struct format_field *field;
	struct ctx_number number;	/* where the context has it; of an array or a struct size is 0 */
	unsigned int room;		/* of a dynamic field: where its bytes are copied to; of an argument: where it is; else 0 */
};

struct record {
	const struct format *format;
	struct record_field *fields;
	size_t count;
	unsigned int size;		/* bytes of the copy, a multiple of 8 */
};

/* No record may be larger: kernel/trace has a page for one. */
#define RECORD_MAX 8192

/*
 * Plans the copy of the fields with these names, or of all own fields if there are none.  0, released by record__free(); -EINVAL
 * with one line in fault; -ENOMEM.  format must live as long.
 */
int record__plan(struct record *record, const struct format *format, const char *const *names, size_t names_count,
		 struct fault *fault);
void record__free(struct record *record);

/* Writes the function that copies: called with the context in r1 and the copy in r2.  0 or as of emit__finish(). */
int record__emit(struct emit *emit, const struct record *record);

/*
 * The same copy out of a record that the kernel wrote into a buffer of its own, as the format file describes it: size bytes of ftrace or
 * of perf. Everything behind the copy's first 8 bytes is set. 0, or -EINVAL where the record does not have all its fields.
 */
int record__take(const struct record *record, void *copy, const void *raw, size_t size);

/* A value in a copy: its bytes, and how many more there are at least; bytes is NULL where they could not be read. */
struct record_value {
	const void *bytes;
	size_t size;
	size_t more;
};

/* copy: record->size bytes. */
struct record_value record__value(const struct record *record, const struct record_field *field, const void *copy);

/* The texts of a field: those of an array, 1 of any other text. */
struct record_texts {
	unsigned int count;
	unsigned int max;	/* bytes that are copied of each */
	unsigned int room;	/* bytes of the copy that each takes */
};
struct record_texts record__texts(const struct format *format, const struct format_field *field);

/* Text number index of an array (format_field__has_texts()). */
struct record_value record__text(const struct record *record, const struct record_field *field, const void *copy, unsigned int index);

#endif
