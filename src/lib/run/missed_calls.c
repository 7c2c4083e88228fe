/* SPDX-License-Identifier: BSD-2-Clause */
#include "missed_calls.h"

#include "lib/kernel/kernel.h"
#include "lib/print/say.h"
#include "lib/probe/refusals.h"
#include "lib/shared/frame.h"

/*
 * Calls, out of runs of a program that sees both ends.  The kernel skips it for a thread that has preempted another one in it, mostly at
 * both ends of a call: two runs, one call.  Of the others the programs have seen one end: the return alone (half_seen), or the begin
 * alone, so that they look as if they were under way.  How many of those really are is not known, so this is never too little.
 */
static uint64_t sessions_missed(uint64_t runs, uint64_t half_seen, uint64_t in_flight)
{
	uint64_t rest = count__minus(runs, half_seen), begun = rest < in_flight ? rest : in_flight;

	/* what is left comes in pairs */
	if (begun && count__minus(rest, begun) % 2)
		begun--;
	return half_seen + begun + (count__minus(rest, begun) + 1) / 2;
}

/* Calls that look as if they were under way may have been missed; before the end they may still return, and do not count. */
uint64_t missed_calls__number(const struct missed *missed, uint64_t unmatched, uint64_t in_flight, bool is_end)
{
	uint64_t returns = count__minus(missed->returns, unmatched), of_those = is_end ? in_flight : 0;

	if (missed->sessions)
		return missed->entries + sessions_missed(missed->sessions, unmatched, of_those);
	return missed->entries + unmatched + (returns < of_those ? returns : of_those);
}

static struct count count_of(const struct missed *missed, uint64_t events)
{
	/* with a link of its own every probe is counted since then; the event of attach mode perf has none */
	const char *why = kernel__version() < kernel_version(6, 7, 0) ? "before Linux 6.7" : "not in this mode: see --attach";

	/* that nothing is known says more than that something is not seen */
	if (missed->known)
		return missed__unseen() ? count__at_least(events, missed__unseen()) : count__exact(events);
	return events || missed->partly ? count__at_least(events, why) : count__unknown(why);
}

uint64_t missed_calls__never_returned(const struct bpf_object *object)
{
	const struct bpf_map *map = bpf_object__find_map_by_name(object, ".bss.kept");
	const struct frames_kept *kept;
	size_t size;

	if (!map || !bpf_map__autocreate(map))
		return 0;
	kept = bpf_map__initial_value(map, &size);
	return kept ? __atomic_load_n(&kept->never_returned, __ATOMIC_RELAXED) : 0;
}

static bool has_map(const struct bpf_object *object, const char *name)
{
	const struct bpf_map *map = bpf_object__find_map_by_name(object, name);

	return map && bpf_map__autocreate(map);
}

#define AIO_UNSEEN "requests of io_submit(2) are not seen without --aio"

void missed_calls__count(struct tally *tally, const struct event_stats *stats, const struct bpf_object_skeleton *skeleton, bool is_end)
{
	struct missed missed = missed__read(skeleton);
	static bool is_told;

	switch (tally__unseen(stats)) {
	case EVENT_UNSEEN_SUPPRESSED:
		missed__tell_unseen(SUPPRESSED_UNSEEN);
		break;
	case EVENT_UNSEEN_AIO:
		missed__tell_unseen(AIO_UNSEEN);
		/* the summary has a place for one reason, and before Linux 6.7 that is another one */
		if (!is_told)
			say__warning(AIO_UNSEEN);
		is_told = true;
		break;
	}
	/* those of sessions keep no calls in a table */
	if (missed.sessions || has_map(*skeleton->obj, "calls") || has_map(*skeleton->obj, "user_calls") ||
	    has_map(*skeleton->obj, "requests"))
		tally->missed = count_of(&missed, missed_calls__number(&missed, tally__unmatched(stats), tally__in_flight(stats) +
								missed_calls__never_returned(*skeleton->obj), is_end));
	else
		tally->missed = count_of(&missed, missed.all);
}
