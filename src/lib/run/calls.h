/* SPDX-License-Identifier: BSD-2-Clause */
/* What was missed, of a tool whose programs follow calls from begin to end (call.bpf.h), and of any other. */
#ifndef PROBELIGHT_CALLS_H
#define PROBELIGHT_CALLS_H

#include <bpf/libbpf.h>

#include "tally.h"

/*
 * Sets tally->missed and missed_known, after tally__close() and while the programs are attached.
 *
 * Without a map `calls` each skipped run of a program is one missed event.  With one, an event is a call: it is missed if its
 * begin was skipped (the kernel counts that at the entry programs), or if its begin was seen and its end was not.  The latter
 * are those that the programs noticed themselves (unended), and, of the calls that look as if they were under way, as many as
 * the kernel says that the return programs missed beyond these.
 */
void calls__count_missed(struct tally *tally, const struct event_stats *stats, const struct bpf_object_skeleton *skeleton);

#endif
