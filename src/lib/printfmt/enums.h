/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of constants in a print fmt. The kernel writes enumerators as numbers there only where a header asks for it (TRACE_DEFINE_ENUM());
 * the others stay as names, which the kernel's BTF has:
 *
 *	__print_symbolic(REC->mode, { HRTIMER_MODE_ABS, "ABS" }, …)
 *
 * The first question reads the enums of the running kernel (20 M instructions), so it is asked only for a name that stands in a print fmt;
 * a question about a second print fmt reads them once more, with all names (30 M).
 */
#ifndef PROBELIGHT_ENUMS_H
#define PROBELIGHT_ENUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A constant of C. */
struct enum_constant {
	uint64_t value;		/* 64 bits with their sign */
	unsigned int size;	/* bytes of its type: 4 or 8 */
	bool is_unsigned;
};

/*
 * Finds the enumerator for an event of the kernel itself. text: its print fmt, in which the name stands; all names in it are looked up at
 * once. False where the answer would be a guess: no enum has the name, two have it with
 * different values, the BTF does not tell the value's sign or its upper bits, or the event is a module's, whose enums are not in this BTF.
 */
bool enums__find(const char *event, const char *text, const char *name, size_t length, struct enum_constant *constant);

/* For tests: the raw BTF that is read from now on; NULL: that of the running kernel. The path must live on. */
void enums__use(const char *path);

#endif
