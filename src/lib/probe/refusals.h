/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls that seccomp refuses, and who sees them (lib/bpf/refused.bpf.h).  Where nobody sees them the summary does not say that nothing was missed.
 */
#ifndef PROBELIGHT_REFUSALS_H
#define PROBELIGHT_REFUSALS_H

#include <stdbool.h>

#include <bpf/libbpf.h>

#include "attach.h"
#include "lib/shared/refused.h"

#define REFUSALS_UNSEEN "calls that seccomp refuses are not seen"

/* Whether there can be such calls: the kernel has seccomp. */
bool refusals__exist(void);

/*
 * Before load: the function, for the programs; its address is 0 where the kernel does not tell it, and where it was not needed, before Linux
 * 7.0.  Its name, a constant.
 */
struct refused_by refusals__find(void);
const char *refusals__function(void);

/*
 * After load and refusals__find(): attaches a program of its own, in section "kretprobe", to the function's return.  The link is the caller's.  False where
 * the kernel does not let it, or the program is not loaded: the tool goes on without.
 */
bool refusals__attach(struct attach *attach, struct bpf_program *program, struct bpf_link **link);

#endif
