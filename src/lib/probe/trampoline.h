/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether the kernel takes fentry and fexit programs on functions: not on all that kprobes can be on. */
#ifndef PROBELIGHT_TRAMPOLINE_H
#define PROBELIGHT_TRAMPOLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/libbpf.h>

#include "lib/print/fault.h"

/*
 * Asks the kernel with a program of two instructions for each of the functions, of the kernel itself.  0 where it takes all
 * of them, with ids their ids in its BTF, or -errno with a few words in fault: which one it does not take or has
 * several of, that a call that sleeps would return to freed memory (kernels without e21aa341785c), or that nothing would
 * keep a program from running itself.  Attaching may still fail, where something else has changed the function's start.  It
 * costs a scan of the kernel's BTF.
 */
int trampoline__check(const char *const *functions, size_t count, uint32_t *ids, struct fault *fault);

/*
 * Whether the kernel attaches programs to trampolines at all, for hooks of the security modules: asked for the function of this id in its
 * BTF, and only where loading does not tell.  0, or -errno with a few words in fault.
 */
int trampoline__check_id(uint32_t id, struct fault *fault);

/*
 * Whether programs on trampolines must be those with bpf/alone.bpf.h.  Before load, with its map, which is made as large as
 * it must be then, or left out; used: whether there are programs on trampolines.
 */
bool trampoline__needs_alone(struct bpf_map *alone_map, bool used);

/* Whether a function returns, as far as is known: a program at the return of one that does not is never given back. */
bool trampoline__returns(const char *function);

#endif
