/* SPDX-License-Identifier: BSD-2-Clause */
#include "near.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "text_buffer.h"

void near__init(struct near *near, unsigned int limit, unsigned int max)
{
	near->limit = limit;
	near->max = max < NEAR_MAX ? max : NEAR_MAX;
	near->count = 0;
}

unsigned int near__limit(const struct near *near)
{
	return near->count && near->count == near->max ? near->distances[near->count - 1] : near->limit;
}

void near__add(struct near *near, const char *name, unsigned int distance)
{
	size_t length = strnlen(name, NEAR_NAME_MAX - 1);
	unsigned int at = 0;

	if (!near->max || distance >= near__limit(near))
		return;
	while (at < near->count && distance >= near->distances[at] && strcmp(near->names[at], name))
		at++;
	for (unsigned int i = at; i < near->count; i++)
		if (!strcmp(near->names[i], name))
			return;
	if (near->count < near->max)
		near->count++;
	memmove(near->names + at + 1, near->names + at, (near->count - 1 - at) * sizeof(*near->names));
	memmove(near->distances + at + 1, near->distances + at, (near->count - 1 - at) * sizeof(*near->distances));
	memcpy(near->names[at], name, length);
	near->names[at][length] = '\0';
	near->distances[at] = distance;
}

void near__put(const struct near *near, struct text_buffer *to)
{
	for (unsigned int i = 0; i < near->count; i++)
		text_buffer__add(to, "%s%s", i ? ", " : near->count > 1 ? "; the nearest are " : "; the nearest is ", near->names[i]);
}

unsigned int near__edits(const char *a, const char *b, unsigned int limit)
{
	size_t a_length = strlen(a), b_length = strlen(b);
	unsigned int row[NEAR_NAME_MAX];

	if (b_length >= NEAR_NAME_MAX || (a_length > b_length ? a_length - b_length : b_length - a_length) >= limit)
		return limit;
	for (size_t j = 0; j <= b_length; j++)
		row[j] = (unsigned int)j;
	for (size_t i = 1; i <= a_length; i++) {
		unsigned int diagonal = row[0], least = (unsigned int)i;

		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= b_length; j++) {
			unsigned int cost = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < cost)
				cost = row[j] + 1;
			if (row[j - 1] + 1 < cost)
				cost = row[j - 1] + 1;
			row[j] = cost;
			if (cost < least)
				least = cost;
		}
		if (least >= limit)
			return limit;
	}
	return row[b_length] < limit ? row[b_length] : limit;
}

unsigned int near__typed(const char *name, const char *word, unsigned int limit)
{
	return strlen(word) >= 3 && strstr(name, word) ? 0 : near__edits(name, word, limit);
}

unsigned int near__typed_limit(const char *word)
{
	return (unsigned int)(strlen(word) / 3) + 2;
}

static unsigned int pair_of(const char *at)
{
	return (at[0] & 127) * 128 + (at[1] & 127);
}

void near_pairs__init(struct near_pairs *pairs, const char *name)
{
	memset(pairs, 0, sizeof(*pairs));
	pairs->name = name;
	pairs->length = strlen(name);
	for (; name[0] && name[1] && pairs->count < NEAR_NAME_MAX; name++) {
		uint16_t *place = &pairs->places[pair_of(name)];

		if (!*place)
			*place = (uint16_t)++pairs->count;
	}
}

/* 0 to 1000: twice the pairs in common, by the pairs of both (the coefficient of Sørensen and Dice). */
static unsigned int likeness(const struct near_pairs *wanted, const char *name)
{
	uint64_t seen[NEAR_NAME_MAX / 64] = { 0 };
	unsigned int shared = 0, pairs = 0;

	for (; name[0] && name[1]; name++, pairs++) {
		unsigned int place = wanted->places[pair_of(name)];
		uint64_t bit = 1ULL << (place - 1) % 64;

		if (!place || seen[(place - 1) / 64] & bit)
			continue;
		seen[(place - 1) / 64] |= bit;
		shared++;
	}
	return wanted->count + pairs ? 2000 * shared / (wanted->count + pairs) : 0;
}

/* Whether the letters are the same but for one, in whatever order. */
static bool is_slip(const struct near_pairs *wanted, const char *name, size_t length)
{
	signed char counts[128] = { 0 };
	unsigned int differences = 0;

	if (length > wanted->length + 1 || wanted->length > length + 1)
		return false;
	for (const char *letter = wanted->name; *letter; letter++)
		counts[*letter & 127]++;
	while (*name)
		counts[*name++ & 127]--;
	for (size_t i = 0; i < sizeof(counts); i++)
		differences += (unsigned int)abs(counts[i]);
	return differences <= 2;
}

unsigned int near_pairs__distance(const struct near_pairs *pairs, const char *name)
{
	size_t length = strlen(name);

	/* names of very different length cannot be alike: the cheap test first */
	if (length > 3 * pairs->length || pairs->length > 3 * length)
		return NEAR_UNLIKE;
	return NEAR_UNLIKE - likeness(pairs, name) - (is_slip(pairs, name, length) ? 1000 : 0);
}
