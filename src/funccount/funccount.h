/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_FUNCCOUNT_H
#define PROBELIGHT_FUNCCOUNT_H

#include "lib/shared/counts.h"
#include "lib/shared/event.h"

#define FUNCCOUNT_TRIES 4	/* places in the table of addresses where a function may be */

/* A place in the table of addresses. */
struct funccount_place {
	__u64 address;		/* 0: free */
	__u64 function;		/* its number */
};

/* The cells of a function. */
struct funccount_counts {
	__u64 calls;
};

#endif
