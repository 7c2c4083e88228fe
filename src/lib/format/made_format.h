/* SPDX-License-Identifier: BSD-2-Clause */
/* Formats that no file of the kernel has: of functions' arguments, and of system calls. */
#ifndef PROBELIGHT_MADE_FORMAT_H
#define PROBELIGHT_MADE_FORMAT_H

#include "format.h"

#define MADE_TYPE_MAX 256

/* A field of one. All is copied. */
struct made_field {
	const char *name;
	char type[MADE_TYPE_MAX];
	unsigned offset;		/* in the context */
	unsigned size;			/* bytes of a number, 1, 2, 4 or 8; 0: a text, where the hops lead to */
	unsigned array_len;		/* so many of them one behind the other; 0: no array */
	bool is_signed, is_hex, is_octal, is_char, is_symbol, is_place, is_extra;	/* as in struct format_field */
	struct format_hops hops;	/* count 0: none */
	const struct meaning *meaning;	/* as in struct format_field */
};

/* All of it is copied too. */
struct made_format {
	const char *system, *name, *print_fmt;
	const char *note;		/* as in struct format, or NULL */
	const struct made_field *fields;
	size_t count;
};

/* 0 and *format (is_arguments is set), freed by format__free(); -ENOMEM. */
int made_format__pack(struct format **format, const struct made_format *from);

#endif
