/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the values of a tracepoint's field are shown, as the event's print fmt and the field's type tell: numbers, hexadecimal
 * numbers, names of values and of flags, texts, lists, devices, CPUs, internet addresses.
 */
#ifndef PROBELIGHT_SHOWN_H
#define PROBELIGHT_SHOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format.h"

struct names;

enum shown_kind {
	SHOWN_NUMBER,
	SHOWN_HEX,
	SHOWN_POINTER,	/* hexadecimal, in JSON a string */
	SHOWN_DEVICE,	/* dev_t: 8:1 */
	SHOWN_NAME,	/* the value's name, or a number */
	SHOWN_FLAGS,	/* A|B|0x4 */
	SHOWN_TEXT,
	SHOWN_LIST,	/* [1,2,3] */
	SHOWN_BYTES,	/* hexadecimal digits */
	SHOWN_CPUS,	/* 0-3,5 */
	SHOWN_IPV4, SHOWN_IPV6,
};

struct shown {
	enum shown_kind kind;
	char *key;			/* the field's name */
	unsigned int size;		/* bytes of one number */
	bool is_signed;
	struct names *names;		/* of NAME and FLAGS */
	char none[8];			/* FLAGS: what no flag at all is shown as */
	uint64_t plus;			/* FLAGS: this one is a "+" behind the others; 0: none */
};

/*
 * How a field is shown of which a value has `size` bytes (of an array, a struct or a dynamic field 0: what the format says).  0 or
 * -ENOMEM; shown__free() releases it, also a zeroed one.
 */
int shown__make(struct shown *shown, const struct format *format, const struct format_field *field, unsigned int size, bool is_signed);
void shown__free(struct shown *shown);

/* Room for the text or the JSON of a value of so many bytes. */
size_t shown__room(const struct shown *shown, size_t size);

/*
 * Writes the value of size bytes; returns its end, without a 0 byte.  Text is escaped (lib/print/text.h).  more: so many more bytes
 * were recorded, [+more].  in_line: "name=value" pairs stand beside each other; a text with a space, a quote or "=" in it is quoted.
 */
char *shown__text(const struct shown *shown, char *to, const void *bytes, size_t size, size_t more, bool in_line);

/*
 * Writes `"name":value`; behind it name_name for a name or flags, name_hex for a text that is no UTF-8, name_more where something
 * is missing.
 */
char *shown__json(const struct shown *shown, char *to, const void *bytes, size_t size, size_t more);

/* The same for a value that could not be read: "<fault>", or null. */
char *shown__fault(const struct shown *shown, char *to, bool json);

#endif
