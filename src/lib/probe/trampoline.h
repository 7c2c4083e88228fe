/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether the kernel takes fentry and fexit programs on functions: not on all that kprobes can be on. */
#ifndef PROBELIGHT_TRAMPOLINE_H
#define PROBELIGHT_TRAMPOLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/libbpf.h>

/*
 * Asks the kernel with a program of two instructions for each of the functions, of the kernel itself.  0 where it takes all of them,
 * with ids their ids in its BTF, or -errno with a few words in why (size bytes): which one it does not take, or that a call that sleeps would
 * return to freed memory (before 5.12, where the release has not got e21aa341785c since).  Attaching may still fail, where something else has
 * changed the function's start.  It costs a scan of the kernel's BTF.
 */
int trampoline__check(const char *const *functions, size_t count, uint32_t *ids, char *why, size_t size);

/*
 * For the map and the variable of bpf/alone.bpf.h, before they are loaded, with used: whether programs are on trampolines.  True for the variable:
 * the programs must see to it themselves that they are alone on a CPU.
 */
bool trampoline__prepare(struct bpf_map *alone_map, bool used);

/* Whether a function returns, as far as is known: a program at the return of one that does not is never given back. */
bool trampoline__returns(const char *function);

#endif
