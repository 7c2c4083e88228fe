/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts of events: a value, whether it is exact, and if not, why.  Sources report totals; some are estimates, which may become
 * smaller.  All subtraction of counts is in this file, and none of it goes below 0 (tests/host/counts).
 */
#ifndef PROBELIGHT_COUNT_H
#define PROBELIGHT_COUNT_H

#include <stddef.h>
#include <stdint.h>

enum count_kind {
	COUNT_EXACT,
	COUNT_AT_LEAST,			/* there may be more than value */
	COUNT_UNKNOWN,			/* nothing is known, value is 0 */
};

/* Zeroed it is exactly 0. */
struct count {
	uint64_t value;
	enum count_kind kind;
	const char *why;		/* why it is not exact, a few words that are never freed; NULL: no reason is given */
};

static inline struct count count__exact(uint64_t value)
{
	return (struct count){ .value = value };
}

static inline struct count count__at_least(uint64_t value, const char *why)
{
	return (struct count){ .value = value, .kind = COUNT_AT_LEAST, .why = why };
}

static inline struct count count__unknown(const char *why)
{
	return (struct count){ .kind = COUNT_UNKNOWN, .why = why };
}

/* Adds events that are known to have happened: an unknown count is then at least so many. */
static inline void count__add(struct count *count, uint64_t events)
{
	count->value += events;
	if (events && count->kind == COUNT_UNKNOWN)
		count->kind = COUNT_AT_LEAST;
}

/* There may have been more events, which nobody counts, and why. */
static inline void count__doubt(struct count *count, const char *why)
{
	*count = count->value ? count__at_least(count->value, why) : count__unknown(why);
}

/* from - less, or 0 where less is the larger one. */
static inline uint64_t count__minus(uint64_t from, uint64_t less)
{
	return from > less ? from - less : 0;
}

/*
 * How far a total has risen above *reported, the highest one until now, which becomes the new one.  A total that falls has not risen until
 * it is above *reported again, so the rises of a sequence of totals add up to its highest one.
 */
static inline uint64_t count__rise(uint64_t *reported, uint64_t total)
{
	uint64_t rise = count__minus(total, *reported);

	*reported += rise;
	return rise;
}

/* The same of counts; the rise is of the kind that the total is of. */
static inline struct count count__since(struct count *reported, const struct count *total)
{
	struct count since = { count__rise(&reported->value, total->value), total->kind, total->why };

	reported->kind = total->kind;
	reported->why = total->why;
	return since;
}

/* "7", "7 or more", "0 or more (WHY)", "unknown (WHY)"; of a reason that begins with "before ", "unknown before Linux 6.7". */
#define COUNT_TEXT_SIZE 128
void count__text(const struct count *count, char text[COUNT_TEXT_SIZE]);

/* "NAME":7, or "NAME":null,"NAME_at_least":7 if it is not exact; without the comma around it. */
void count__json(const struct count *count, const char *name, char text[COUNT_TEXT_SIZE]);

#endif
