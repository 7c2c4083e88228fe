/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers of a run: added up over the CPUs' slots, and as text and JSON. */
#include "check.h"
#include "lib/run/tally.h"

static void test_read(void)
{
	static struct event_stats stats[EVENT_STATS_SLOTS];
	struct tally tally = { 0 };

	stats[0] = (struct event_stats){ .lost = 1, .filtered = 10, .no_room = 100, .unmatched = 2, .in_flight = 5 };
	/* a call that began on CPU 0 and ended on CPU 1 */
	stats[1] = (struct event_stats){ .lost = 2, .in_flight = (__u64)-3 };
	stats[EVENT_STATS_SLOTS - 1] = (struct event_stats){ .lost = 4, .wake_ns = 12345, .unmatched = 1 };
	tally__read(&tally, stats);
	CHECK_INT(tally.no_room, 100);
	CHECK_INT(tally.lost.value, 107);
	CHECK_INT(tally.filtered.value, 10);
	CHECK_INT(tally__unmatched(stats), 3);
	CHECK_INT(tally__in_flight(stats), 2);
	/* its end was read, and its begin was not yet */
	stats[0].in_flight = 0;
	CHECK_INT(tally__in_flight(stats), 0);
	tally__close(stats);
	CHECK_INT(stats[EVENT_STATS_SLOTS - 1].closed, 1);
}

static void check(const struct tally *tally, const char *expected_text, const char *expected_json)
{
	char text[TALLY_TEXT_SIZE];

	tally__text(tally, text);
	CHECK_STR(text, expected_text);
	tally__json(tally, text);
	CHECK_STR(text, expected_json);
}

static void test_text(void)
{
	const struct count large = count__exact(INT64_MAX), needs = count__unknown("before Linux 6.7");
	const uint64_t most = INT64_MAX;

	check(&(struct tally){ .delivered = 12 }, "delivered 12, lost 0, missed 0",
	      "{\"delivered\":12,\"lost\":0,\"missed\":0,\"filtered\":0,\"unread\":0}");
	check(&(struct tally){ .delivered = 1, .lost = count__exact(2), .filtered = count__exact(3), .unread = 4, .missed = needs },
	      "delivered 1, lost 2, missed unknown before Linux 6.7, filtered 3, unread 4",
	      "{\"delivered\":1,\"lost\":2,\"missed\":null,\"missed_at_least\":0,\"filtered\":3,\"unread\":4}");
	check(&(struct tally){ .missed = count__at_least(0, "before Linux 6.7") },
	      "delivered 0, lost 0, missed unknown before Linux 6.7",
	      "{\"delivered\":0,\"lost\":0,\"missed\":null,\"missed_at_least\":0,\"filtered\":0,\"unread\":0}");
	check(&(struct tally){ .missed = count__at_least(7, "before Linux 6.7") }, "delivered 0, lost 0, missed 7 or more",
	      "{\"delivered\":0,\"lost\":0,\"missed\":null,\"missed_at_least\":7,\"filtered\":0,\"unread\":0}");
	check(&(struct tally){ .delivered = 3, .lost = count__unknown("no numbers") },
	      "delivered 3, lost unknown (no numbers), missed 0",
	      "{\"delivered\":3,\"lost\":null,\"lost_at_least\":0,\"missed\":0,\"filtered\":0,\"unread\":0}");
	check(&(struct tally){ .counts = true, .delivered = 5, .in_flight = 2 },
	      "counted 5, lost 0, missed 0, in flight 2",
	      "{\"counted\":5,\"lost\":0,\"missed\":0,\"filtered\":0,\"in_flight\":2}");
	check(&(struct tally){ .filtered = count__at_least(3, NULL), .missed = count__unknown("ftrace does not count them"), .unread = 1 },
	      "delivered 0, lost 0, missed unknown (ftrace does not count them), filtered 3 or more, unread 1",
	      "{\"delivered\":0,\"lost\":0,\"missed\":null,\"missed_at_least\":0,\"filtered\":null,\"filtered_at_least\":3,"
	      "\"unread\":1}");
	check(&(struct tally){ .counts = true, .lost = count__exact(5), .lost_told = 7 }, "counted 0, lost 5, missed 0",
	      "{\"counted\":0,\"lost\":5,\"missed\":0,\"filtered\":0,\"lost_in_intervals\":7,\"in_flight\":0}");
	check(&(struct tally){ .counts = true, .in_flight = 1, .never_returned = 3 },
	      "counted 0, lost 0, missed 0, in flight 1, never returned 3",
	      "{\"counted\":0,\"lost\":0,\"missed\":0,\"filtered\":0,\"never_returned\":3,\"in_flight\":1}");
	/* the longest */
	check(&(struct tally){ .counts = true, .delivered = most, .lost = count__at_least(most, NULL), .in_flight = most,
			       .filtered = count__at_least(most, NULL), .missed = count__at_least(most, NULL), .unread = most },
	      "counted 9223372036854775807, lost 9223372036854775807 or more, missed 9223372036854775807 or more, "
	      "filtered 9223372036854775807 or more, unread 9223372036854775807, in flight 9223372036854775807",
	      "{\"counted\":9223372036854775807,\"lost\":null,\"lost_at_least\":9223372036854775807,\"missed\":null,"
	      "\"missed_at_least\":9223372036854775807,\"filtered\":null,\"filtered_at_least\":9223372036854775807,"
	      "\"unread\":9223372036854775807,\"in_flight\":9223372036854775807}");
	check(&(struct tally){ .lost = large }, "delivered 0, lost 9223372036854775807, missed 0",
	      "{\"delivered\":0,\"lost\":9223372036854775807,\"missed\":0,\"filtered\":0,\"unread\":0}");
}

static void test_short(void)
{
	CHECK(!tally__is_short(&(struct tally){ .delivered = 1, .filtered = count__exact(1), .unread = 1 }));
	CHECK(!tally__is_short(&(struct tally){ .missed = count__unknown("") }));
	CHECK(tally__is_short(&(struct tally){ .lost = count__exact(1) }));
	CHECK(tally__is_short(&(struct tally){ .missed = count__at_least(1, "") }));
}

int main(void)
{
	test_read();
	test_text();
	test_short();
	return check_done();
}
