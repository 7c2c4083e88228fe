/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of kernel functions as events: the arguments, with names and types out of the kernel's BTF, where a kprobe's context has them. */
#ifndef PROBELIGHT_KFUNCS_H
#define PROBELIGHT_KFUNCS_H

#include <stddef.h>

#include "lib/print/fault.h"

struct format;
struct kfuncs;

#define KFUNCS_BTF "/sys/kernel/btf/vmlinux"
#define KFUNCS_CALL "k"		/* the systems of the formats: of calls, */
#define KFUNCS_RETURN "kr"	/* and of their returns */

/* Where the context of a return has the values: offsets, the arguments of 8 bytes each one behind the other. */
struct kfuncs_places {
	unsigned args, ret, duration;
	unsigned registers;	/* the address of the struct pt_regs that the function returns with */
};

/*
 * btf: the file to be read, KFUNCS_BTF, whose directory has those of modules, when the first format is asked for.  NULL: no
 * memory.  kfuncs__free() takes NULL.
 */
struct kfuncs *kfuncs__new(const char *btf);
void kfuncs__free(struct kfuncs *kfuncs);

/*
 * Announces a function, "[MODULE:]FUNC[+OFFSET]", whose format will be asked for: BTF is walked once for all that were announced by then,
 * else once more for each (1.5 to 3 M instructions).  0 or -ENOMEM.
 */
int kfuncs__expect(struct kfuncs *kfuncs, const char *name);

/*
 * Its arguments as a format, with the members that are asked for (arguments.h).  A module's functions are in its own BTF,
 * beside the kernel's (since 5.11).  Without BTF, and for functions that it does not have or has with different types, there
 * are no arguments but by their number (arg0).  Behind an offset there are none at all.  places: of a return, whose fields
 * are ret, of the type that the function returns, and duration, in nanoseconds, and the arguments only where they are asked
 * for; NULL: of a call.  0, or -errno with one line in fault.
 */
int kfuncs__format(struct kfuncs *kfuncs, const char *name, const struct kfuncs_places *places, const char *const *members,
		   size_t count, struct format **format, struct fault *fault);

/* The number of an argument whose register is at that offset of the context, from 0; -1: it is none of an argument. */
int kfuncs__argument(unsigned offset);

/* Where the context has the register of that argument, below CALL_ARGS.  Functions of programs have theirs in the same ones. */
unsigned kfuncs__place(unsigned number);

#endif
