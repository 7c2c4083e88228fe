/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls that seccomp refuses, and who sees them (lib/bpf/refused.bpf.h); and that others suppress, which nobody sees
 * (lib/bpf/suppressed.bpf.h).  Where calls are not seen the summary does not say that nothing was missed.
 */
#ifndef PROBELIGHT_REFUSALS_H
#define PROBELIGHT_REFUSALS_H

#include <stdbool.h>

#include <bpf/libbpf.h>

#include "attach.h"
#include "lib/kernel/names.h"
#include "lib/shared/refused.h"

#define REFUSALS_UNSEEN "calls that seccomp refuses are not seen"

/* Whether there can be such calls: the kernel has seccomp. */
bool refusals__exist(void);

/*
 * Before load: the function, for a program of its own.  Which one it is the kernel's number decides; where that is wrong, it cannot be
 * attached to.
 */
struct refused_by refusals__guess(void);

/*
 * Before load: the function, for a program on several.  names: open.  The address is 0 where the kernel does not tell it, or has none.  And
 * its name, a constant, after either.
 */
struct refused_by refusals__find(struct names *names);
const char *refusals__function(void);

/*
 * After load and refusals__guess(): attaches a program of its own, in section "kretprobe", to the function's return.  The link is the caller's.  False where
 * the kernel does not let it, or the program is not loaded: the tool goes on without.
 */
bool refusals__attach(struct attach *attach, struct bpf_program *program, struct bpf_link **link);

/*
 * Before load: of a skeleton that has the program of lib/bpf/suppressed.bpf.h, which is loaded only where has_types, the kernel's BTF, is
 * there.
 */
#define SUPPRESSED_UNSEEN "calls that a tracer or user dispatch suppresses are not seen"
void refusals__choose_suppressed(const struct bpf_object_skeleton *skeleton, bool has_types);

#endif
