/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Heat maps: histograms over time as a picture.  Time goes to the right, a column is an interval; a histogram's rows go up; the darker a
 * cell, the more values it counts.  Histograms of several keys have a map each, one below the other.
 *
 *	struct heat *heat = heat__new();
 *
 *	heat__column(heat, begin_ns, end_ns);		for each interval
 *	heat__add(heat, NULL, NULL, &view);		for each of its histograms
 *	heat__write(heat, fd, "runqlat");
 *	heat__free(heat);
 *
 * The SVG needs nothing but itself, and has no script: what a cell counts is its tooltip.  Of many intervals several share a column; of
 * many keys those that come last share a map.
 */
#ifndef PROBELIGHT_HEAT_H
#define PROBELIGHT_HEAT_H

#include <stddef.h>
#include <stdint.h>

#include "hist.h"

#define HEAT_COLUMNS_MAX 600	/* even */
#define HEAT_MAPS_MAX 24

struct heat;

/* NULL without memory. */
struct heat *heat__new(void);

/* Takes NULL. */
void heat__free(struct heat *heat);

/* Begins an interval: times of any one clock. */
void heat__column(struct heat *heat, uint64_t begin_ns, uint64_t end_ns);

/*
 * Adds a histogram of the interval to the map of that key (NULL: the one of tools without keys), which is titled when it is new;
 * untrusted bytes.  All views have the same shape, which lives as long as the heat map.  0 or -ENOMEM.
 */
int heat__add(struct heat *heat, const char *key, const char *title, const struct hist_view *view);

/* Writes the SVG.  title is a trusted word.  0 or -errno of write(2), -ENOMEM. */
int heat__write(const struct heat *heat, int fd, const char *title);

#endif
