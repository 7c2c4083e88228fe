/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Histograms as text and as JSON: a row for each power of two, below them the numbers that people otherwise guess from the
 * rows.  Percentiles are upper edges of buckets, so they are never too small.
 */
#ifndef PROBELIGHT_PRINT_HIST_H
#define PROBELIGHT_PRINT_HIST_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/shared/hist.h"
#include "text_buffer.h"

/* The units that a shape has names for. */
enum hist_unit {
	HIST_NSECS,
	HIST_USECS,
	HIST_MSECS,
	HIST_BYTES,
	HIST_PLAIN,	/* numbers of any kind */
};

/* The shape of rows in that unit; values are nanoseconds, or bytes, or numbers without a unit. */
struct hist_shape hist_shape__of(enum hist_unit unit);

/*
 * Makes the shape linear by "MIN,MAX,STEP", whole numbers in its unit: rows of STEP from MIN to MAX, and what is below and above.
 * 0, or -EINVAL: not three numbers, MAX not above MIN, no step, MAX - MIN not a multiple of STEP, or more steps than
 * HIST_LINEAR_MAX.
 */
#define HIST_LINEAR_MAX (HIST_SLOTS - 2)
int hist_shape__parse_linear(struct hist_shape *shape, const char *text);

/* A histogram that is looked at: of a struct hist or hist_rough.  The shape and the words must live as long. */
struct hist_view {
	const struct hist_shape *shape;
	const uint64_t *slots;
	unsigned __int128 sum;		/* of the values: also where it does not fit into 64 bits */
	uint32_t bits;
	uint32_t slots_count;
};

struct hist_view hist_view__of(const struct hist_shape *shape, const struct hist *hist);
struct hist_view hist_view__of_rough(const struct hist_shape *shape, const struct hist_rough *hist);

/* The values that a bucket holds, from low to high, both included; UINT64_MAX: no end. */
uint64_t hist_view__low(const struct hist_view *view, uint32_t slot);
uint64_t hist_view__high(const struct hist_view *view, uint32_t slot);

uint64_t hist_view__count(const struct hist_view *view);

/* A value that per_mille of the values are not above: the upper edge of a bucket.  1000: of the largest.  0 if there are none. */
uint64_t hist_view__percentile(const struct hist_view *view, unsigned int per_mille);

/* The counts of the rows as they are printed: powers of two, or the steps of --linear.  Returns how many there are. */
size_t hist_view__rows(const struct hist_view *view, uint64_t counts[HIST_SLOTS]);

/*
 * The values of such a row, in the shape's unit: "4 -> 7", "below 10", "100 and above" (also of the row with all that cannot
 * be scaled).
 */
#define HIST_EDGES_SIZE 48
void hist_shape__edges(const struct hist_shape *shape, uint32_t row, char text[HIST_EDGES_SIZE]);

/*
 * Appends the rows and the line of numbers; nothing for an empty one.  A line of numbers that has more than width characters is
 * broken after commas; 0: it is one line.
 */
void hist_view__text(const struct hist_view *view, size_t width, struct text_buffer *text);

/*
 * Appends "unit":"ns" (or "bytes", or null),"buckets":[[LOW,HIGH,COUNT],…],"count":N,"sum":S,"p50":…,"p90":…,"p99":…,
 * "p999":…,"max":…  A sum of more than 64 bits is null.
 */
void hist_view__json(const struct hist_view *view, struct text_buffer *text);

/* A number of nanoseconds (or bytes) in the shape's unit, rounded up, with up to three decimals: "0.250", "12.5", "1300". */
#define HIST_NUMBER_SIZE 32
void hist_shape__format(const struct hist_shape *shape, uint64_t value, char text[HIST_NUMBER_SIZE]);

/* "usecs"; "value" for plain numbers */
const char *hist_shape__unit(const struct hist_shape *shape);

#endif
