/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_FUNCCOUNT_H
#define PROBELIGHT_FUNCCOUNT_H

#include "lib/shared/addresses.h"
#include "lib/shared/counts.h"
#include "lib/shared/event.h"

/* The cells of a function. */
struct funccount_counts {
	__u64 calls;
};

#endif
