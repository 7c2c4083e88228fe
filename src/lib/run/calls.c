/* SPDX-License-Identifier: BSD-2-Clause */
#include "calls.h"

#include "lib/kernel/kernel.h"
#include "lib/probe/missed.h"

/*
 * Calls, out of runs of a program that sees both ends.  The kernel skips it for a thread that has preempted another one in it, mostly at
 * both ends of a call: two runs, one call.  Of the others the programs have seen one end: the return alone (half_seen), or the begin
 * alone, so that they look as if they were under way.  How many of those really are is not known, so this is never too little.
 */
static uint64_t sessions_missed(uint64_t runs, uint64_t half_seen, uint64_t in_flight)
{
	uint64_t rest = runs > half_seen ? runs - half_seen : 0, begun = rest < in_flight ? rest : in_flight;

	/* what is left comes in pairs */
	if (begun && (rest - begun) % 2)
		begun--;
	return half_seen + begun + (rest - begun + 1) / 2;
}

void calls__count_missed(struct tally *tally, const struct event_stats *stats, const struct bpf_object_skeleton *skeleton)
{
	struct missed missed = missed__read(skeleton);
	const struct bpf_map *calls = bpf_object__find_map_by_name(*skeleton->obj, "calls");
	uint64_t unended = tally__unended(stats), in_flight = tally__in_flight(stats), of_those = 0;

	tally->missed_known = missed.known;
	tally->missed_partly = missed.partly;
	/* with a link of its own every probe is counted since then; the event of attach mode perf has none */
	tally->missed_why = kernel__version() < kernel_version(6, 7, 0) ? "needs Linux 6.7" : "not in this mode: see --attach";
	/* those of sessions keep no calls in a table */
	if (missed.sessions) {
		tally->missed = missed.entries + sessions_missed(missed.sessions, unended, in_flight);
		return;
	}
	if (!calls || !bpf_map__autocreate(calls)) {
		tally->missed = missed.all;
		return;
	}
	if (missed.returns > unended)
		of_those = missed.returns - unended;
	if (of_those > in_flight)
		of_those = in_flight;
	tally->missed = missed.entries + unended + of_those;
}
