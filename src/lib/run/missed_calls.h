/* SPDX-License-Identifier: BSD-2-Clause */
/* What was missed, of a tool whose programs follow calls from begin to end (call.bpf.h), and of any other. */
#ifndef PROBELIGHT_MISSED_CALLS_H
#define PROBELIGHT_MISSED_CALLS_H

#include <bpf/libbpf.h>

#include "lib/probe/missed.h"
#include "tally.h"

/*
 * Sets tally->missed, while the programs are attached.  The number never falls while it is asked for again; is_end: after tally__close().
 *
 * Without a hash of calls (CALLS_BY() of call.bpf.h) each skipped run of a program is one missed event.  With one, an event is a
 * call: it is missed if its begin was skipped (the kernel counts that at the programs that see calls begin, role.h), or if its begin
 * was seen and its end was not.  The latter are those that the programs noticed themselves (unmatched), and, of the calls that look as
 * if they were under way, as many as the kernel says that the programs at the end missed beyond these.  The last ones count at the end
 * alone: until then they may return.
 */
void missed_calls__count(struct tally *tally, const struct event_stats *stats, const struct bpf_object_skeleton *skeleton, bool is_end);

/* Calls whose task ended in them, as the programs of an object have seen it (frames.bpf.h); 0 where they do not look. */
uint64_t missed_calls__never_returned(const struct bpf_object *object);

/*
 * That number of calls, of programs that follow them: out of the runs that the kernel skipped, the calls that the programs noticed
 * themselves (tally__unmatched()), and those that look as if they were under way (tally__in_flight()) or never returned.
 */
uint64_t missed_calls__number(const struct missed *missed, uint64_t unmatched, uint64_t in_flight, bool is_end);

#endif
