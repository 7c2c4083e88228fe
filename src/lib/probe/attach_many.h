/* SPDX-License-Identifier: BSD-2-Clause */
/* One program on many functions by one link. */
#ifndef PROBELIGHT_ATTACH_MANY_H
#define PROBELIGHT_ATTACH_MANY_H

#include <stdint.h>

#include "attach.h"

/*
 * Attaches a program in section "kprobe.multi" (or "kretprobe.multi") to functions by their addresses, as /proc/kallsyms has them;
 * by name the kernel would search all symbols for each before 7.0 (81 M instructions for 100 functions on 6.12, by address 8.3).
 * All or nothing: an address that cannot be traced fails the whole.  Only where attempt__has_multi().  *link is the caller's.
 * Returns attach->err, with attach->error set.
 */
int attach__many(struct attach *attach, struct bpf_program *program, struct bpf_link **link, const uint64_t *addresses,
		 size_t count);

#endif
