/* SPDX-License-Identifier: BSD-2-Clause */
/* What --metrics has added up since the start, by metric and labels, and its text (metrics.h). */
#ifndef PROBELIGHT_METRIC_TOTALS_H
#define PROBELIGHT_METRIC_TOTALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/print/prometheus.h"
#include "metrics.h"
#include "row_counts.h"

/* What a series got since the last text. */
enum series_state {
	SERIES_IDLE,		/* nothing */
	SERIES_CHANGED,
	SERIES_MAY_BE_GONE,	/* nothing, and no cgroup was found yet that it is of (gone_series.c) */
};

/* One metric: its series are the keys of counts, the labels as they are printed. */
struct metric_series {
	const struct metric *metric;
	struct row_counts counts;
	struct prometheus_hist *hists;		/* METRIC_HIST: of each key, by its number */
	unsigned char *states;			/* enum series_state, the same */
	size_t room;				/* of both */
	struct prometheus_hist others_hist;
	uint64_t refused;			/* sets of labels without room, each time that one came */
	char *others_labels;			/* labels of the others: as those of the first key, with "(others)" as each value; NULL: not yet */
};

/* Zeroed it holds nothing. */
struct metric_totals {
	struct metric_series *list;
	size_t count;
	const char *tool;
	char *run_labels;			/* `run="NAME"`, or "" */
	char *own_labels;			/* `tool="NAME"`, with run_labels behind it */
};

/* metrics and tool must live as long; run: NULL, or the value of a label that all series get.  0 or -ENOMEM. */
int metric_totals__open(struct metric_totals *totals, const struct metric *metrics, const char *tool, const char *run, uint32_t series);

/* Adds a row, members of JSON (out.h).  0, -EPROTO for a number that is none, or -ENOMEM. */
int metric_totals__add_row(struct metric_totals *totals, const char *row, size_t size);

/* Adds a histogram.  key: an object of JSON, or NULL.  0 or -ENOMEM. */
int metric_totals__add_hist(struct metric_totals *totals, const char *key, const struct hist_view *view);

/*
 * Appends all metrics, and those of the run itself: whether it is up, since when, what became of the events.  tally: of the run until now;
 * start_ns: CLOCK_REALTIME.  An error is in the text.
 */
void metric_totals__text(const struct metric_totals *totals, const struct tally *tally, uint64_t start_ns, bool is_up,
			 struct text_buffer *text);

/* Adds the series that are marked SERIES_MAY_BE_GONE to the others, and removes them.  0 or -ENOMEM, with which all are as before. */
int metric_series__fold(struct metric_series *series);

/* A text was written: no series has changed since. */
void metric_totals__written(struct metric_totals *totals);

void metric_totals__free(struct metric_totals *totals);

#endif
