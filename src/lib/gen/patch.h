/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Puts generated instructions into a compiled program, in the place of marks (lib/bpf/patch.bpf.h): of an instruction, of a whole
 * function, or of a number that is not known when the program is compiled.  What nothing leads to any more is left out: the verifier would
 * remove it too, and charges for that.
 */
#ifndef PROBELIGHT_PATCH_H
#define PROBELIGHT_PATCH_H

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

enum patch_kind {
	/*
	 * In the place of "r0 = mark".  Where "r0 = 0" and a jump to the end end it, and the program asks next whether r0 is
	 * 0, that jump leads to where the program would go.
	 */
	PATCH_CODE,
	PATCH_FUNCTION,	/* in the place of the function that has "register = mark" */
	PATCH_VALUE,		/* number in the place of each mark in "register = mark" */
	PATCH_CHOICE,		/* the same, where the program only asks next whether the register is 0: this is answered here */
};

struct patch {
	enum patch_kind kind;
	int32_t mark;
	const struct bpf_insn *insns;
	size_t count;
	int32_t number;
};

/*
 * Makes *to, to be freed by the caller, out of a program as libbpf passes it to the kernel: its functions one after the other,
 * the main one first.  0; -ENOENT: a mark is not there; -EINVAL: a call or a jump leads out of the program, or is too long;
 * -ENOMEM.
 */
int patch__make(const struct bpf_insn *program, size_t count, const struct patch *patches, size_t patches_count,
		 struct bpf_insn **to, size_t *to_count);

#endif
