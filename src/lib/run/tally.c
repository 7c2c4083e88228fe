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
	tally->lost = sum(stats, offsetof(struct event_stats, lost)) + tally->no_room;
	tally->filtered = sum(stats, offsetof(struct event_stats, filtered));
}

uint64_t tally__unended(const struct event_stats *stats)
{
	return sum(stats, offsetof(struct event_stats, unended));
}

uint64_t tally__in_flight(const struct event_stats *stats)
{
	return sum(stats, offsetof(struct event_stats, in_flight));
}

bool tally__is_short(const struct tally *tally)
{
	return tally->lost || tally->missed;
}

/* Appends ", NAME NUMBER" unless the number is 0. */
static int add(char *text, size_t size, const char *name, uint64_t number)
{
	return number ? snprintf(text, size, ", %s %llu", name, (unsigned long long)number) : 0;
}

void tally__text(const struct tally *tally, char text[TALLY_TEXT_SIZE])
{
	char lost[96], missed[96];
	int used;

	if (tally->lost_why)
		snprintf(lost, sizeof(lost), "not counted (%s)", tally->lost_why);
	else
		snprintf(lost, sizeof(lost), "%llu", (unsigned long long)tally->lost);
	if (tally->missed_known)
		snprintf(missed, sizeof(missed), "%llu", (unsigned long long)tally->missed);
	else if (tally->missed || !tally->missed_why)
		snprintf(missed, sizeof(missed), "%llu or more", (unsigned long long)tally->missed);
	else
		snprintf(missed, sizeof(missed), "%s (%s)", tally->missed_partly ? "0 or more" : "not counted", tally->missed_why);
	used = snprintf(text, TALLY_TEXT_SIZE, "%s %llu, lost %s, missed %s", tally->counts ? "counted" : "delivered",
			(unsigned long long)tally->delivered, lost, missed);
	if (tally->filtered_partly)
		used += snprintf(text + used, TALLY_TEXT_SIZE - (size_t)used, ", filtered %llu or more", (unsigned long long)tally->filtered);
	else
		used += add(text + used, TALLY_TEXT_SIZE - (size_t)used, "filtered", tally->filtered);
	used += add(text + used, TALLY_TEXT_SIZE - (size_t)used, "unread", tally->unread);
	add(text + used, TALLY_TEXT_SIZE - (size_t)used, "in flight", tally->in_flight);
}

void tally__json(const struct tally *tally, char text[TALLY_TEXT_SIZE])
{
	char lost[24], missed[64], filtered[64];
	int used;

	snprintf(lost, sizeof(lost), tally->lost_why ? "null" : "%llu", (unsigned long long)tally->lost);
	snprintf(missed, sizeof(missed), tally->missed_known ? "%llu" : "null,\"missed_at_least\":%llu",
		 (unsigned long long)tally->missed);
	snprintf(filtered, sizeof(filtered), tally->filtered_partly ? "null,\"filtered_at_least\":%llu" : "%llu",
		 (unsigned long long)tally->filtered);
	used = snprintf(text, TALLY_TEXT_SIZE, "{\"%s\":%llu,\"lost\":%s,\"missed\":%s,\"filtered\":%s",
			tally->counts ? "counted" : "delivered", (unsigned long long)tally->delivered, lost, missed, filtered);
	snprintf(text + used, TALLY_TEXT_SIZE - (size_t)used, ",\"%s\":%llu}", tally->counts ? "in_flight" : "unread",
		 (unsigned long long)(tally->counts ? tally->in_flight : tally->unread));
}
