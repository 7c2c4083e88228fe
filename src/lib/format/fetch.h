/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fields in the grammar of the kernel's own probes (Documentation/trace/kprobetrace.rst), as the fields of a made format:
 *
 *	[NAME=]FETCH[:TYPE]		FETCH is one of
 *	%di				a register
 *	$stack, $stack+8, $stack0	the stack pointer, an address above it, the words that it points to
 *	$arg1, $retval, $comm		an argument (from 1), the result, the task's name
 *	arg0, NAME			an argument as elsewhere in these tools (from 0)
 *	@SYMBOL[+-N], @ADDRESS		memory of the kernel; of a variable of each CPU, that of this CPU
 *	&SYMBOL[+-N]			the address itself
 *	\N				a number
 *	+N(FETCH), -N(FETCH), +uN(…)	what is in memory there; u: in the memory of the process
 *	@SYMBOL->member			by the type that BTF has for the variable
 *	(STRUCT)FETCH->member		by a type that is named
 *
 * TYPE: u8 to u64, s8 to s64, x8 to x64, char, symbol, string, ustring, bN@OFFSET/SIZE; [N] behind it is an array.
 */
#ifndef PROBELIGHT_FETCH_H
#define PROBELIGHT_FETCH_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/btf/rawbtf.h"
#include "lib/print/fault.h"
#include "made_format.h"

/* What the program's context has. */
struct fetch_source {
	const char *system, *name;	/* "k" and "do_unlinkat", for messages */
	bool is_return;
	bool has_whole_words;		/* as in struct arguments */
	unsigned registers;		/* of a return: where the context has the address of its struct pt_regs */
	const int *arguments;		/* where it has the arguments, of 8 bytes each */
	unsigned arguments_count;
	unsigned ret;			/* of a return: where it has the result */
	/* An argument, or a member of what it points to; NULL: there is none of that name. */
	const struct made_field *(*find)(void *context, const char *name);
	void *context;
	/* BTF that has the kernel's types, open; NULL: there is none. */
	struct rawbtf *(*btf)(void *context);
	void *btf_context;
};

/* Reads one, without its name and its end (fetch__length()).  0 and *field, without a name; -errno with one line in fault. */
int fetch__parse(const char *text, const struct fetch_source *source, struct made_field *field, struct fault *fault);

#endif
