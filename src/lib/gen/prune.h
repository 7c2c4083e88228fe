/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Leaves out of a program what its constants rule out, before the kernel sees it.  A tool's program has the code of all of its options,
 * and a constant for each that says whether it is asked for.  The kernel's verifier leaves out the rest, too, but first it asks of each
 * instruction what it may do to the stack and the registers, dead ones among them (since 6.15, kernel/bpf/liveness.c; in 7.3 that is half
 * of what a start costs).
 */
#ifndef PROBELIGHT_PRUNE_H
#define PROBELIGHT_PRUNE_H

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The bytes of a map that nobody can write any more, of which *size is their number, or NULL of another one.  They are borrowed until the
 * next call of prune__program() ends.
 */
typedef const void *prune_constants_fn(void *context, int map_fd, uint32_t *size);

struct prune_result {
	struct bpf_insn *insns;	/* to be freed by the caller */
	size_t count;
	uint32_t *places;	/* where each old instruction is now, or the one that comes instead of it; to be freed by the caller */
};

/*
 * Makes *result of a program as libbpf passes it to the kernel: its functions one after the other, the main one first, maps as descriptors.
 * It does what the old one does.  A function that is not called any more has no instruction: its place is that of the next one.
 * 0; -ENOTSUP: it has instructions that are not known here; -EINVAL: a call or a jump leads out of it; -ENOMEM.
 */
int prune__program(const struct bpf_insn *insns, size_t count, prune_constants_fn *constants, void *context, struct prune_result *result);

#endif
