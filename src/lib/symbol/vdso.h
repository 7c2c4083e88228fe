/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of the vDSO, code that the kernel maps into each process: no file has it.  It is the same in all 64-bit processes. */
#ifndef PROBELIGHT_VDSO_H
#define PROBELIGHT_VDSO_H

#include <stdbool.h>

#include "maps.h"

/*
 * Copies this process' vDSO into a file in memory, before system calls are restricted. A descriptor, which the caller closes;
 * -1: there is none, or no memory.
 */
int vdso__copy(void);

/* Whether a mapping is that vDSO: not the one of a 32-bit process. */
bool vdso__is_in(const struct map *map);

#endif
