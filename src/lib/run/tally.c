/* SPDX-License-Identifier: BSD-2-Clause */
#include "tally.h"

#include <stdio.h>

struct event_stats *tally__map(const struct bpf_object *object)
{
	const struct bpf_map *map = bpf_object__find_map_by_name(object, ".bss.stats");
	size_t size;

	/* libbpf leaves global data out where the kernel seems to have none, which is an error only if a program uses it */
	return map && bpf_map__autocreate(map) ? bpf_map__initial_value(map, &size) : NULL;
}

void tally__close(struct event_stats *stats)
{
	__atomic_store_n(&stats[EVENT_STATS_SLOTS - 1].closed, 1, __ATOMIC_SEQ_CST);
}

void tally__open(struct event_stats *stats)
{
	__atomic_store_n(&stats[EVENT_STATS_SLOTS - 1].closed, 0, __ATOMIC_SEQ_CST);
}

/* The sum over all slots of the counter that is offset bytes into each. */
static uint64_t sum(const struct event_stats *stats, size_t offset)
{
	uint64_t total = 0;

	for (size_t i = 0; i < EVENT_STATS_SLOTS; i++)
		total += __atomic_load_n((const __u64 *)((const char *)&stats[i] + offset), __ATOMIC_RELAXED);
	return total;
}

void tally__read(struct tally *tally, const struct event_stats *stats)
{
	tally->no_room = sum(stats, offsetof(struct event_stats, no_room));
	tally->lost = count__exact(sum(stats, offsetof(struct event_stats, lost)) + tally->no_room);
	tally->filtered = count__exact(sum(stats, offsetof(struct event_stats, filtered)));
}

uint64_t tally__others(const struct event_stats *stats)
{
	uint64_t total = 0;

	for (size_t i = 0; i < EVENT_STATS_OTHERS_SLOTS; i++)
		total += __atomic_load_n(&stats[i].others, __ATOMIC_RELAXED);
	return total;
}

uint64_t tally__unseen(const struct event_stats *stats)
{
	return __atomic_load_n(&stats->unseen, __ATOMIC_RELAXED);
}

uint64_t tally__unmatched(const struct event_stats *stats)
{
	return sum(stats, offsetof(struct event_stats, unmatched));
}

uint64_t tally__in_flight(const struct event_stats *stats)
{
	/* a call may begin in one slot after that was read, and end in another one before it is read */
	int64_t in_flight = (int64_t)sum(stats, offsetof(struct event_stats, in_flight));

	return in_flight > 0 ? (uint64_t)in_flight : 0;
}

struct tally tally__since(struct tally *reported, struct tally *total)
{
	struct tally since = *total;

	since.lost = count__since(&reported->lost, &total->lost);
	since.filtered = count__since(&reported->filtered, &total->filtered);
	since.missed = count__since(&reported->missed, &total->missed);
	since.no_room = count__rise(&reported->no_room, total->no_room);
	since.never_returned = count__rise(&reported->never_returned, total->never_returned);
	since.lost_reported = since.missed_reported = 0;
	total->lost_reported = reported->lost.value;
	total->missed_reported = reported->missed.value;
	return since;
}

bool tally__is_short(const struct tally *tally)
{
	return tally->lost.value || tally->missed.value;
}

/* Appends ", NAME NUMBER" unless the number is 0. */
static int add(char *text, size_t size, const char *name, uint64_t number)
{
	return number ? snprintf(text, size, ", %s %llu", name, (unsigned long long)number) : 0;
}

void tally__text(const struct tally *tally, char text[TALLY_TEXT_SIZE])
{
	char lost[COUNT_TEXT_SIZE], missed[COUNT_TEXT_SIZE], filtered[COUNT_TEXT_SIZE];
	int used;

	count__text(&tally->lost, lost);
	count__text(&tally->missed, missed);
	count__text(&tally->filtered, filtered);
	used = snprintf(text, TALLY_TEXT_SIZE, "%s %llu, lost %s, missed %s", tally->counts ? "counted" : "delivered",
			(unsigned long long)tally->delivered, lost, missed);
	if (tally->filtered.value || tally->filtered.kind != COUNT_EXACT)
		used += snprintf(text + used, TALLY_TEXT_SIZE - (size_t)used, ", filtered %s", filtered);
	used += add(text + used, TALLY_TEXT_SIZE - (size_t)used, "unread", tally->unread);
	used += add(text + used, TALLY_TEXT_SIZE - (size_t)used, "in flight", tally->in_flight);
	add(text + used, TALLY_TEXT_SIZE - (size_t)used, "never returned", tally->never_returned);
}

void tally__json(const struct tally *tally, char text[TALLY_TEXT_SIZE])
{
	char lost[COUNT_TEXT_SIZE], missed[COUNT_TEXT_SIZE], filtered[COUNT_TEXT_SIZE];
	int used;

	count__json(&tally->lost, "lost", lost);
	count__json(&tally->missed, "missed", missed);
	count__json(&tally->filtered, "filtered", filtered);
	used = snprintf(text, TALLY_TEXT_SIZE, "{\"%s\":%llu,%s,%s,%s", tally->counts ? "counted" : "delivered",
			(unsigned long long)tally->delivered, lost, missed, filtered);
	if (tally->lost_reported > tally->lost.value)
		used += snprintf(text + used, TALLY_TEXT_SIZE - (size_t)used, ",\"lost_in_intervals\":%llu",
				 (unsigned long long)tally->lost_reported);
	if (tally->missed_reported > tally->missed.value)
		used += snprintf(text + used, TALLY_TEXT_SIZE - (size_t)used, ",\"missed_in_intervals\":%llu",
				 (unsigned long long)tally->missed_reported);
	if (tally->never_returned)
		used += snprintf(text + used, TALLY_TEXT_SIZE - (size_t)used, ",\"never_returned\":%llu",
				 (unsigned long long)tally->never_returned);
	if (tally->counts && tally->unread)
		used += snprintf(text + used, TALLY_TEXT_SIZE - (size_t)used, ",\"unread\":%llu", (unsigned long long)tally->unread);
	snprintf(text + used, TALLY_TEXT_SIZE - (size_t)used, ",\"%s\":%llu}", tally->counts ? "in_flight" : "unread",
		 (unsigned long long)(tally->counts ? tally->in_flight : tally->unread));
}
