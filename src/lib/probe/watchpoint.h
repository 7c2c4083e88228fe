/* SPDX-License-Identifier: BSD-2-Clause */
/* Watchpoints of the CPU on the kernel's memory, which run a program at each access. */
#ifndef PROBELIGHT_WATCHPOINT_H
#define PROBELIGHT_WATCHPOINT_H

#include <bpf/libbpf.h>

#include "lib/format/watch.h"
#include "lib/print/fault.h"

/*
 * Attaches a program of type perf_event to a place, on each CPU that is online; one that comes online later does not watch it.  The events
 * are closed with the skeleton's links (links__own_event()).  0; -errno with one line in fault: -ENOSPC where all watchpoints of a CPU are
 * taken (x86-64 has four).
 */
int watchpoint__attach(const struct bpf_program *program, const struct watch *watch, struct fault *fault);

#endif
