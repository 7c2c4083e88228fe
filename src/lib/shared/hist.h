/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Histograms: what the BPF programs store (bpf/hist.bpf.h) and the user side prints (print/hist.h).
 *
 * A value, in nanoseconds or whatever is measured, is scaled to the unit of the rows with some binary digits behind the point:
 *
 *	scaled = (value << shift) / divisor
 *
 * so that the rows' powers of two (of microseconds, say) are edges of buckets exactly: 1 us is 1024.  A bucket is an octave of
 * the scaled value, cut into 1 << bits equal parts.
 */
#ifndef PROBELIGHT_HIST_H
#define PROBELIGHT_HIST_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define HIST_BITS 3		/* eight parts an octave: an edge is at most 12.5 % above the value */
#define HIST_SLOTS 496		/* of 64-bit values with HIST_BITS */
#define HIST_ROUGH_SLOTS 65	/* with 0 bits: a bucket for each power of two */

/* Cells only grow; a difference of two looks is what was counted in between. */
struct hist {
	__u64 sum;		/* of the values, not scaled, modulo 2^64 */
	__u64 sum_high;		/* of plain numbers, whose sum may be larger than that: the sum of value >> 32 */
	__u64 slots[HIST_SLOTS];
};

/* A smaller one, for tables that have one for each key; for times and bytes, whose sum has 64 bits. */
struct hist_rough {
	__u64 sum;
	__u64 slots[HIST_ROUGH_SLOTS];
};

/* Frozen rodata. */
struct hist_shape {
	__u32 shift;
	__u32 divisor;
	__u32 fraction;		/* binary digits of the scaled value that are below the rows' unit */
	__u32 linear_count;	/* --linear: so many steps; 0: powers of two */
	__u32 bytes;		/* values are bytes, not nanoseconds */
	__u32 plain;		/* values are numbers without a unit */
	__u64 linear_min;	/* values, not scaled */
	__u64 linear_step;
};

/*
 * The largest value that can be scaled, in microseconds four years, in milliseconds 13 days; larger ones count in its bucket.  Without a
 * shift all values can.
 */
#define HIST_VALUE_MAX(shape) (~0ULL >> (shape).shift)

#endif
