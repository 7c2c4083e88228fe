/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arguments of a function as the fields of a record, out of BTF: programs find them in their context, at a place for each.
 * Names, filters and rows then work as with a tracepoint's format.
 */
#ifndef PROBELIGHT_ARGUMENTS_H
#define PROBELIGHT_ARGUMENTS_H

#include "format.h"
#include "rawbtf.h"

/* A function, and where the context has its arguments. */
struct arguments {
	const char *system, *name;	/* of the format that is made: "rawtp", "sched_switch" */
	__u32 prototype;		/* the id of its type; 0: it has no arguments */
	unsigned first;			/* the first parameter that is an argument */
	const int *places;		/* offsets in the context, of 8 bytes each */
	unsigned places_count;
};

#define ARGUMENTS_MAX 16

/*
 * Makes a format: a field for each argument that is a number, a pointer or a text (a char *), and behind these one for each of the
 * members, such as "file->f_mode" ("/x" at the end of one, or of an argument, shows it in hexadecimal).  0 and *format, freed by
 * format__free(); -EINVAL with one line in why; -ENOMEM.
 */
int arguments__format(struct rawbtf *raw, const struct arguments *arguments, const char *const *members, size_t count,
		      struct format **format, char *why, size_t size);

/* Whether a name is one of a member, and not of an argument. */
bool arguments__is_member(const char *name);

#endif
