/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --svg FILE of tools that print histograms: each interval's are a column of a heat map (lib/print/heat.h), which the end of
 * the run writes.
 */
#ifndef PROBELIGHT_HEAT_REPORT_H
#define PROBELIGHT_HEAT_REPORT_H

#include "side_file.h"

struct heat;
struct hist_view;
struct interval;
struct tool;

struct heat_report {
	struct side_file file;
	struct heat *heat;	/* NULL: not asked for */
};

/* The option's value. */
void heat_report__set(struct heat_report *report, const char *path);

/* Opens the file, where one is asked for; before capabilities are dropped.  tool->err. */
int heat_report__open(struct tool *tool);

/* An interval, and then its histograms, as heat__column() and heat__add() take them.  Failures are reported, and end the picture. */
void heat_report__begin_interval(struct tool *tool, const struct interval *interval);
void heat_report__add(struct tool *tool, const char *key, const char *title, const struct hist_view *view);

/* Writes the picture, and frees it. */
void heat_report__end(struct tool *tool);

#endif
