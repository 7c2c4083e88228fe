/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The numbers that add up.  Of all that a tool's programs saw:
 *
 *	seen = delivered + lost + filtered + unread
 *
 * and missed is what happened and no program saw.  A tool that counts says counted where one that prints events says
 * delivered, and every counted event is in a bucket or a key of what it prints.  docs/accounting.md has the promises.
 */
#ifndef PROBELIGHT_TALLY_H
#define PROBELIGHT_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/libbpf.h>

#include "lib/print/count.h"
#include "lib/shared/event.h"

struct tally {
	bool counts;			/* of a tool that counts */
	uint64_t delivered;		/* rows that the output took; or, where counts, events that were counted */
	struct count lost;		/* seen, and there was no room: in the ring buffer, or in a table */
	uint64_t no_room;		/* those of them for which a table was full, not the ring buffer */
	struct count filtered;		/* seen, and not wanted; at least: the kernel has dropped others, and did not count them */
	struct count missed;		/* not seen */
	uint64_t unread;		/* in the ring buffer or printed, and the output did not take it */
	uint64_t in_flight;		/* begun and not ended at the end; where counts */
	uint64_t never_returned;	/* calls whose task ended in them; where counts */
	uint64_t lost_reported;		/* what intervals have reported until now, in sum (tally__since()); 0: nothing */
	uint64_t missed_reported;
};

/* Why missed is not exact where the kernel's switch was off. */
#define TALLY_HOOKS_OFF "function hooks were switched off"

/* The counters of an object that includes stats.bpf.h and is loaded: EVENT_STATS_SLOTS of them, mapped; NULL without. */
struct event_stats *tally__map(const struct bpf_object *object);

/*
 * Ends the counting: what happens from now on is no event (event_is_over() in stats.bpf.h).  Everything before this instant
 * adds up, also while programs are still attached.
 */
void tally__close(struct event_stats *stats);

/* Begins the counting again that tally__close() ended: what happened in between was no event. */
void tally__open(struct event_stats *stats);

/* Sets lost, no_room and filtered, exactly, from the counters, which may still be changing. */
void tally__read(struct tally *tally, const struct event_stats *stats);

/* Events whose key found no room, where programs count events (shared/event_counts.h). */
uint64_t tally__others(const struct event_stats *stats);

/* What happened unseen, as the programs know: enum event_unseen. */
uint64_t tally__unseen(const struct event_stats *stats);

/* Calls that began and were not seen to end, as far as the programs noticed (call.bpf.h). */
uint64_t tally__unmatched(const struct event_stats *stats);

/* Calls that have begun and not ended, or whose end was missed and not noticed yet; 0 for a sum that is still settling below it. */
uint64_t tally__in_flight(const struct event_stats *stats);

/*
 * What was lost, filtered and missed since the totals of *reported, which is zeroed at first and then becomes *total.  A total that has
 * fallen gives 0 until it is above what was told again.  So the intervals' numbers add up to total's, or to total->lost_reported and
 * total->missed_reported, which this sets, where an estimate has fallen.  All else is as in *total.
 */
struct tally tally__since(struct tally *reported, struct tally *total);

/* Whether something was lost or missed, for --strict.  A number that is not known does not count. */
bool tally__is_short(const struct tally *tally);

/*
 * "delivered 12, lost 0, missed 0"; "missed unknown before Linux 6.7" where the kernel counts none, "missed 7 or more" where it
 * does not count all; likewise lost.  Without a newline; with ", filtered N" ("N or more"), ", unread N", ", in flight N" and
 * ", never returned N" where not 0.
 */
#define TALLY_TEXT_SIZE 448
void tally__text(const struct tally *tally, char text[TALLY_TEXT_SIZE]);

/*
 * {"delivered":12,"lost":0,"missed":0,"filtered":0,"unread":0}; what is not exact is null, with "missed_at_least" and the
 * like.  Where not 0: "never_returned".  Where the intervals reported more than was lost or missed in the end:
 * "lost_in_intervals", "missed_in_intervals".
 */
void tally__json(const struct tally *tally, char text[TALLY_TEXT_SIZE]);

#endif
