/* SPDX-License-Identifier: BSD-2-Clause */
/* Symbols of the kernel that may be variables, by name: where they are. */
#ifndef PROBELIGHT_VARIABLES_H
#define PROBELIGHT_VARIABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/print/fault.h"

struct variable {
	uint64_t address;
	bool is_per_cpu;	/* each CPU has one: address is what is added to the number that offsets has for it */
	uint64_t offsets;	/* the address of __per_cpu_offset[]; of is_per_cpu */
};

/* For tests, which load no programs: false reads /proc/kallsyms, or what ksyms__use() says, at once. */
extern bool variables__may_ask;

/*
 * Finds a symbol: the kernel is asked, and where it does not answer /proc/kallsyms is read (100 M instructions).  0; -ENOENT with one line
 * in fault, which has the nearest names; -EPERM: addresses are hidden; -errno of reading.
 */
int variable__find(struct variable *variable, const char *name, struct fault *fault);

#endif
