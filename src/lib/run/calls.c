/* SPDX-License-Identifier: BSD-2-Clause */
#include "calls.h"

#include "lib/kernel/kernel.h"
#include "lib/probe/missed.h"

void calls__count_missed(struct tally *tally, const struct event_stats *stats, const struct bpf_object_skeleton *skeleton)
{
	struct missed missed = missed__read(skeleton);
	uint64_t unended = tally__unended(stats), in_flight = tally__in_flight(stats), of_those = 0;

	tally->missed_known = missed.known;
	tally->missed_partly = missed.partly;
	/* with a link of its own every probe is counted since then; the event of attach mode perf has none */
	tally->missed_why = kernel__version() < kernel_version(6, 7, 0) ? "needs Linux 6.7" : "not in this mode: see --attach";
	if (!bpf_object__find_map_by_name(*skeleton->obj, "calls")) {
		tally->missed = missed.all;
		return;
	}
	if (missed.returns > unended)
		of_those = missed.returns - unended;
	if (of_those > in_flight)
		of_those = in_flight;
	tally->missed = missed.entries + unended + of_those;
}
