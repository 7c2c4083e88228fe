/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts and what they do over a run: whatever totals come, no number of an interval or of the summary is ever above 2^63, and
 * the intervals' numbers add up to the summary's, or to those that the summary names.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "check.h"
#include "lib/ftrace/graph_record.h"
#include "lib/run/missed_calls.h"
#include "lib/run/tally.h"

#define RUNS 2000
#define INTERVALS_MAX 40

static uint64_t state = 88172645463325252ull;

/* A number below `below`. */
static uint64_t any(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % below;
}

/* Each number in a text: none is above 2^63.  Gives the one after NAME, or 0. */
static uint64_t number_of(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	for (const char *digit = text; *digit; digit++) {
		if (*digit < '0' || *digit > '9' || (digit > text && digit[-1] >= '0' && digit[-1] <= '9'))
			continue;
		CHECK(strtoull(digit, NULL, 10) < (uint64_t)1 << 63);
	}
	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

/* What a count is in JSON, exact or not. */
static uint64_t value_of(const char *json, const char *name)
{
	char key[64];

	snprintf(key, sizeof(key), "\"%s\":", name);
	if (strstr(json, key) && strncmp(strstr(json, key) + strlen(key), "null", 4))
		return number_of(json, key);
	snprintf(key, sizeof(key), "\"%s_at_least\":", name);
	return number_of(json, key);
}

/* An estimate: it mostly rises, and may fall to anything. */
static void change(struct count *count)
{
	static const char why[] = "a reason";
	uint64_t value = any(4) ? count->value + any(100) : any(count->value + 2);

	switch (any(8)) {
	case 0:
		*count = count__unknown(why);
		break;
	case 1:
		*count = count__at_least(value, any(2) ? why : NULL);
		break;
	default:
		*count = count__exact(value);
	}
}

struct sums {
	uint64_t lost, missed, filtered, no_room;
};

static void cut(struct tally *told, struct tally *total, struct sums *sums)
{
	char json[TALLY_TEXT_SIZE], text[TALLY_TEXT_SIZE];
	struct tally since = tally__since(told, total);

	tally__json(&since, json);
	tally__text(&since, text);
	number_of(text, "lost");
	sums->lost += value_of(json, "lost");
	sums->missed += value_of(json, "missed");
	sums->filtered += value_of(json, "filtered");
	sums->no_room += since.no_room;
}

static void test_intervals(void)
{
	for (int run = 0; run < RUNS; run++) {
		struct tally told = { 0 }, total = { .counts = true };
		struct sums sums = { 0 };
		char json[TALLY_TEXT_SIZE], text[TALLY_TEXT_SIZE];

		for (uint64_t left = 1 + any(INTERVALS_MAX); left; left--) {
			change(&total.lost);
			change(&total.missed);
			count__add(&total.filtered, any(10));
			total.no_room += any(10);
			cut(&told, &total, &sums);
		}
		tally__json(&total, json);
		tally__text(&total, text);
		number_of(text, "lost");
		CHECK(sums.lost == (strstr(json, "lost_in_intervals") ? value_of(json, "lost_in_intervals") : value_of(json, "lost")));
		CHECK(sums.missed == (strstr(json, "missed_in_intervals") ? value_of(json, "missed_in_intervals") :
				      value_of(json, "missed")));
		CHECK(value_of(json, "lost") <= sums.lost);
		CHECK(value_of(json, "missed") <= sums.missed);
		CHECK(sums.filtered == value_of(json, "filtered"));
		CHECK(sums.no_room == total.no_room);
	}
}

/* ---- calls whose begin or end programs miss */

struct calls {
	uint64_t open;			/* seen to begin, and under way */
	uint64_t stale;			/* seen to begin, and their end was missed; nobody has noticed */
	uint64_t unmatched;		/* and it was noticed */
	uint64_t both_unseen;		/* calls of which neither end was seen */
	struct missed missed;
	bool by_sessions;
};

static void one_call(struct calls *calls)
{
	uint64_t skipped = any(20), *begin = calls->by_sessions ? &calls->missed.sessions : &calls->missed.entries;

	if (skipped == 0) {
		/* neither end is seen; in a session that skips both */
		++*begin;
		calls->missed.sessions += calls->by_sessions;
		calls->both_unseen++;
	} else {
		calls->open++;
	}
	if (calls->open && any(2)) {
		calls->open--;
		if (!any(10)) {
			calls->stale++;
			++*(calls->by_sessions ? &calls->missed.sessions : &calls->missed.returns);
		}
	}
	if (calls->stale && !any(3)) {
		calls->stale--;
		calls->unmatched++;
	}
}

/* The number never falls while calls come and go, and is never less than what was missed at the end. */
static void test_missed_calls(void)
{
	for (int run = 0; run < RUNS; run++) {
		struct calls calls = { .by_sessions = run & 1 };
		uint64_t was = 0, now;

		for (uint64_t left = any(300); left; left--) {
			one_call(&calls);
			now = missed_calls__number(&calls.missed, calls.unmatched, calls.open + calls.stale, false);
			CHECK(now >= was);
			was = now;
		}
		now = missed_calls__number(&calls.missed, calls.unmatched, calls.open + calls.stale, true);
		CHECK(now >= was);
		CHECK(now >= calls.both_unseen + calls.unmatched + calls.stale);
		if (!calls.by_sessions)
			CHECK_INT(now, calls.both_unseen + calls.unmatched + calls.stale);
	}
}

/* A task's number that another task has now: its own calls without room, not 4 billion. */
static void test_overrun(void)
{
	CHECK_INT(graph_record__overrun_rise(3, 8), 5);
	CHECK_INT(graph_record__overrun_rise(8, 8), 0);
	CHECK_INT(graph_record__overrun_rise(8, 3), 3);
	CHECK_INT(graph_record__overrun_rise(8, 0), 0);
	CHECK_INT(graph_record__overrun_rise(UINT32_MAX - 1, 3), 5);
}

static void test_count(void)
{
	struct count count = count__unknown("why");
	uint64_t told = 0;

	count__add(&count, 0);
	CHECK(count.kind == COUNT_UNKNOWN);
	count__add(&count, 2);
	CHECK(count.kind == COUNT_AT_LEAST && count.value == 2);
	count__doubt(&count, "other");
	CHECK(count.kind == COUNT_AT_LEAST);
	count = count__exact(0);
	count__doubt(&count, "other");
	CHECK(count.kind == COUNT_UNKNOWN);
	CHECK_INT(count__minus(3, 5), 0);
	CHECK_INT(count__minus(5, 3), 2);
	CHECK_INT(count__rise(&told, 5), 5);
	CHECK_INT(count__rise(&told, 3), 0);
	CHECK_INT(count__rise(&told, 6), 1);
	CHECK_INT(told, 6);
}

int main(void)
{
	test_count();
	test_overrun();
	test_intervals();
	test_missed_calls();
	return check_done();
}
