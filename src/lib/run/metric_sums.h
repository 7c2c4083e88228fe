/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --sum with --metrics and --by: a counter for each summed column, beside that of the rows.  Its name is that of the rows with the
 * column's, in Prometheus' base units: biosnoop's block_requests_total and --sum lat_ms make block_requests_lat_seconds_total.
 */
#ifndef PROBELIGHT_METRIC_SUMS_H
#define PROBELIGHT_METRIC_SUMS_H

#include <stdbool.h>
#include <stdint.h>

struct counting;
struct metric;

/* The unit of a number, which is the end of its key (docs/json.md). */
struct metric_unit {
	const char *end;	/* "_ms"; "": no unit that is known */
	const char *base;	/* what stands in a metric's name: "_seconds" */
	uint64_t scale;		/* of its numbers to nanoseconds, or bytes */
	bool is_time;
};
const struct metric_unit *metric_unit__of(const char *key);

/* The rows' metric and one for each number, a table that is ended (metrics.h).  A process has one, which refers to the keys. */
const struct metric *metric_sums__make(const struct metric *rows, const struct counting *counting);

#endif
