/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_HARDIRQS_H
#define PROBELIGHT_HARDIRQS_H

#include "lib/shared/event.h"
#include "lib/shared/hist.h"

/* One CPU. */
struct hardirq_counts {
	__u64 begun_ns;			/* of the handler that runs; 0: none does.  No count. */
	struct hist_rough others;	/* ns; of the keys without room */
};

#define HARDIRQ_NAME_SIZE 64

/* One handler of an interrupt line; a line that devices share has several. */
struct hardirq_key {
	__u32 irq;
	__u32 cpu;			/* 0 without --per-cpu */
	char name[HARDIRQ_NAME_SIZE];	/* as the device's driver registered it; of a longer one the first bytes, without a 0 byte */
};

#define HARDIRQ_KEYS 512

#endif
