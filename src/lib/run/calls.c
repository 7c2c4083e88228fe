/* SPDX-License-Identifier: BSD-2-Clause */
#include "calls.h"

#include "lib/probe/missed.h"

void calls__count_missed(struct tally *tally, const struct event_stats *stats, const struct bpf_object_skeleton *skeleton)
{
	struct missed missed = missed__read(skeleton);
	uint64_t unended = tally__unended(stats), in_flight = tally__in_flight(stats), of_those = 0;

	tally->missed_known = missed.known;
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
