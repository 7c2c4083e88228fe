/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prometheus' text format 0.0.4, which node_exporter's textfile collector, Prometheus and VictoriaMetrics read:
 *
 *	# HELP probelight_softirqs_total Softirqs that ran.
 *	# TYPE probelight_softirqs_total counter
 *	probelight_softirqs_total{softirq="timer"} 12
 *
 * Of one metric all lines stand together.  A series is its text: the same labels in the same order, and a bound ("le") in the same digits.
 */
#ifndef PROBELIGHT_PROMETHEUS_H
#define PROBELIGHT_PROMETHEUS_H

#include <stddef.h>
#include <stdint.h>

#include "text_buffer.h"

#define PROMETHEUS_PREFIX "probelight_"

/* Appends the two lines above a metric.  type: "counter", "gauge" or "histogram"; help is one line without a backslash. */
void prometheus__head(struct text_buffer *text, const char *name, const char *type, const char *help);

/*
 * Appends `name="value"`, with a comma before it where labels is not empty.  value: size bytes, of which invalid UTF-8 becomes U+FFFD, and
 * control characters, too: one such byte would have a collector skip the whole file.
 */
void prometheus__add_label(struct text_buffer *labels, const char *name, const char *value, size_t size);

/* The same for a value of JSON: what a string says, or the digits or the word that it is. */
void prometheus__add_json_label(struct text_buffer *labels, const char *name, const char *json, size_t size);

/* Appends `probelight_NAME{LABELS} VALUE`; labels may be "". */
void prometheus__count(struct text_buffer *text, const char *name, const char *labels, uint64_t value);

/* The same for nanoseconds, as seconds with nine decimals. */
void prometheus__seconds(struct text_buffer *text, const char *name, const char *labels, uint64_t value_ns);

/* A histogram in octaves. */
#define PROMETHEUS_BOUNDS 28
struct prometheus_hist {
	/*
	 * Times: the bounds are scale_ns, twice that, and so on.  A time of 127,999 ns may be one of 127,999.9, which is below 128 us and
	 * not below 127.999 us, so a bound is the first value that is above.  0: sizes and other whole numbers, whose bounds are 0, 1, 3, 7
	 * and so on, the last value that counts.
	 */
	uint64_t scale_ns;
	uint64_t counts[PROMETHEUS_BOUNDS + 1];	/* of each bound, not summed up; the last one has what is above all */
	uint64_t sum;				/* of the values: nanoseconds, or the numbers */
};

/* Adds so many values of up to `high` (included) to the bucket that holds them. */
void prometheus_hist__add(struct prometheus_hist *hist, uint64_t high, uint64_t count);

/* Appends the lines of a histogram: NAME_bucket for each bound and for +Inf, NAME_sum, NAME_count. */
void prometheus__hist(struct text_buffer *text, const char *name, const char *labels, const struct prometheus_hist *hist);

#endif
