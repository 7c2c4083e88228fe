/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_SOFTIRQS_H
#define PROBELIGHT_SOFTIRQS_H

#include "lib/shared/hist.h"

#define SOFTIRQS 10	/* NR_SOFTIRQS, include/linux/interrupt.h; the same on 5.10 to 7.3 */

/* One softirq vector on one CPU. */
struct softirq_counts {
	/* when the one that runs began, or (-L) when the one that is to run was raised; 0: there is none.  No count. */
	__u64 since_ns;
	__u64 count;		/* -C */
	__u64 no_raise;		/* -L: it was not seen when they were raised */
	struct hist time;	/* ns: how long they ran, or (-L) waited */
};

#endif
