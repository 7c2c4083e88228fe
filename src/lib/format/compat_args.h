/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where 32-bit system calls have their arguments: numbers of 64 bits are in two registers, old calls have all of them in a struct, and
 * clone's last two are in another order. So pread64's fourth argument is made of the 32-bit call's fourth and fifth.
 */
#ifndef PROBELIGHT_COMPAT_ARGS_H
#define PROBELIGHT_COMPAT_ARGS_H

#include <stdint.h>

/*
 * 4 bits for each argument of the 64-bit call, the first one in the lowest: the number of the 32-bit argument that has its low half, and
 * that of its high half; COMPAT_ARGS_ZERO: none.
 */
struct compat_args {
	uint32_t low, high;	/* low & COMPAT_ARGS_IN_STRUCT: they are in a struct, whose address the first argument is */
};

/* The same numbers as the 64-bit call. */
extern const struct compat_args compat_args__same;

/* Those of a 32-bit call, by the name that <asm/unistd.h> has for it. Constants. */
const struct compat_args *compat_args__find(const char *name);

#endif
