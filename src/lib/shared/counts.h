/* SPDX-License-Identifier: BSD-2-Clause */
/* A few counts, in a cache line for each CPU. */
#ifndef PROBELIGHT_COUNTS_H
#define PROBELIGHT_COUNTS_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define COUNTS_FEW 8
#define COUNTS_FEW_SLOTS 64	/* a power of two; CPUs beyond it share a slot */

struct counts_few {
	__u64 counts[COUNTS_FEW];
};

#endif
