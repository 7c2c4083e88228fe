/* SPDX-License-Identifier: BSD-2-Clause */
/* The events that perf_event_open(2) counts, by the names that perf has for them. */
#ifndef PROBELIGHT_PERF_EVENT_NAME_H
#define PROBELIGHT_PERF_EVENT_NAME_H

#include <linux/perf_event.h>
#include <stdbool.h>

struct text_buffer;

/*
 * Sets type, config and exclude_user or exclude_kernel of an event: cache-misses, page-faults, LLC-loads, L1-dcache-load-misses, or r1a3,
 * the processor's own number in hexadecimal; with ":u" or ":k" at its end what processes or the kernel do alone.  False where there is no
 * such name.
 */
bool event_name__parse(const char *name, struct perf_event_attr *attr);

/* Appends the names that are most like one that is not there: "; the nearest is …" */
void event_name__put_near(const char *name, struct text_buffer *to);

#endif
