/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the fields of a tracer's own records are: events/ftrace/NAME/format.  stream.h reads the records. */
#ifndef PROBELIGHT_FTRACE_RECORD_FIELDS_H
#define PROBELIGHT_FTRACE_RECORD_FIELDS_H

#include <stdint.h>

struct format;

/* The format of the records of that name.  0 and *format, for format__free(); or -errno. */
int record_fields__read(const char *name, struct format **format);

/* A field that is wanted. */
struct record_field {
	const char *name;	/* NULL: the end of the list */
	uint32_t size;		/* bytes that it must have; 0: it is an array, of as many elements as the record has room for */
	uint32_t *offset;	/* set: bytes from the start of the record */
};

/*
 * Finds the fields of the records of that name ("function").  0 and the type that stands in these records, with the bytes that one has at
 * least if it holds all of the fields; -EINVAL where a field is not there or has another size, or -errno of reading the file.
 */
int record_fields__find(const char *name, const struct record_field *fields, uint16_t *type, uint32_t *size_min);

#endif
