/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_SOFTIRQS_H
#define PROBELIGHT_SOFTIRQS_H

#include "lib/shared/hist.h"

#define SOFTIRQS 10	/* NR_SOFTIRQS, include/linux/interrupt.h; the same on 5.10 to 7.3 */

/* One softirq vector on one CPU. */
struct softirq_counts {
	__u64 begun_ns;		/* of the one that runs; 0: none does.  No count. */
	struct hist time;	/* ns */
};

#endif
