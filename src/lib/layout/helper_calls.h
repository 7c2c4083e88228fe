/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Has programs call a subprogram where their source calls a helper of the kernel.  So a mode that few runs want costs the other runs
 * nothing in their programs.  A branch on frozen read-only data at each of these places would: the verifier removes the dead one of the
 * two ways and moves all that follows it.  That made a start of killsnoop 0.7 million instructions longer, and one of opensnoop 1.1.
 */
#ifndef PROBELIGHT_LAYOUT_HELPER_CALLS_H
#define PROBELIGHT_LAYOUT_HELPER_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include <bpf/libbpf.h>

struct helper_call {
	int32_t helper;		/* enum bpf_func_id */
	const char *function;	/* static, in .text, and `used`; it gets the helper's arguments */
};

/*
 * In the programs that will be loaded of an opened object, of which elf and size are the bytes: replaces each call of one of the helpers
 * (count of them).  Calls in subprograms stay.  0 or -errno; -ENOENT: there is no such function.
 */
int helper_calls__replace(const struct bpf_object *object, const void *elf, size_t size, const struct helper_call *calls, size_t count);

#endif
