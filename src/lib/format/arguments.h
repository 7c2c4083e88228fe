/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arguments of a function as the fields of a record, out of BTF: programs find them in their context, at a place for each.
 * Names, filters and rows then work as with a tracepoint's format.
 */
#ifndef PROBELIGHT_ARGUMENTS_H
#define PROBELIGHT_ARGUMENTS_H

#include "format.h"
#include "lib/btf/rawbtf.h"
#include "lib/print/fault.h"
#include "made_format.h"

/* A function, and where the context has its arguments. */
struct arguments {
	const char *system, *name;	/* of the format that is made: "rawtp", "sched_switch" */
	__u32 prototype;		/* the id of its type; 0: it has no arguments */
	unsigned first;			/* the first parameter that is an argument */
	const int *places;		/* offsets in the context, of 8 bytes each */
	unsigned places_count;
	/* They are in registers: what is behind a struct is not where its number says.  All of them are there by number, too (arg0). */
	bool in_registers;
	/* Of a return: two more fields, and arguments only where they are asked for. */
	bool has_result;
	unsigned ret, duration;		/* their offsets in the context */
	const struct made_field *own;	/* fields that are there besides, before these; copied */
	size_t own_count;
	bool has_whole_words;		/* programs read nothing less than 8 bytes of the context */
	bool takes_fetches;		/* fields in the grammar of the kernel's probes, too (fetch.h) */
	unsigned registers;		/* for these, of a return: where the context has the address of struct pt_regs */
	struct rawbtf *(*btf)(void *context);	/* for these: the kernel's BTF, NULL: there is none */
	void *btf_context;
	const char *note;		/* why they have no names, for messages, or NULL; the format has a copy */
};

/*
 * Makes a format: a field for each argument that is a number, a pointer or a text (a char *), and behind these one for each
 * of the members, such as "file->f_mode" ("/x" at the end of one, or of an argument, shows it in hexadecimal, "/s" an
 * address by its name).  Of arguments in registers a member is also "arg0", and with a type "arg1:str" or "arg0:s32"; these
 * need no raw, which may be NULL without a prototype. 0 and *format, freed by format__free(); -EINVAL with one line in fault;
 * -ENOMEM.
 */
int arguments__format(struct rawbtf *raw, const struct arguments *arguments, const char *const *members, size_t count,
		      struct format **format, struct fault *fault);

#endif
