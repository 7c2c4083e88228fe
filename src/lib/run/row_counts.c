/* SPDX-License-Identifier: BSD-2-Clause */
#include "row_counts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define ROOM_FIRST 64

/*
 * Whoever names files decides the keys.  The seed keeps them from choosing keys that all have one place; where there is no random number
 * yet (early at boot), 0 does.
 */
static uint64_t number_of(const struct row_counts *counts, const char *key, size_t size)
{
	uint64_t number = counts->seed ^ size;

	while (size) {
		size_t part = size < sizeof(uint64_t) ? size : sizeof(uint64_t);
		uint64_t word = 0;

		memcpy(&word, key, part);
		number = (number ^ word) * 0xff51afd7ed558ccdull;
		number ^= number >> 32;
		key += part;
		size -= part;
	}
	return number;
}

static bool is_key(const struct row_count *count, const char *key, size_t size)
{
	return count->size == size && !memcmp(count->key, key, size);
}

static bool grow(struct row_counts *counts)
{
	size_t room = counts->room ? 2 * counts->room : ROOM_FIRST;
	struct row_count *larger = realloc(counts->list, room * sizeof(*larger));

	if (!larger)
		return false;
	counts->list = larger;
	counts->room = room;
	return true;
}

/* A new key at the end of the list; NULL: there is no room. */
static struct row_count *add(struct row_counts *counts, const char *key, size_t size)
{
	struct row_count *count;
	char *copy;

	if (counts->count >= counts->keys_max || counts->bytes + size > ROW_COUNTS_BYTES)
		return NULL;
	if (counts->count == counts->room && !grow(counts))
		return NULL;
	copy = malloc(size + 1);
	if (!copy)
		return NULL;
	memcpy(copy, key, size);
	copy[size] = 0;
	count = &counts->list[counts->count];
	*count = (struct row_count){ .key = copy, .size = size, .number = counts->count };
	if ((counts->with_hists && !(count->hist = calloc(1, sizeof(*count->hist)))) ||
	    (counts->sums && !(count->sums = calloc(counts->sums, sizeof(*count->sums))))) {
		free(count->hist);
		free(copy);
		return NULL;
	}
	counts->bytes += size;
	counts->count++;
	return count;
}

static void begin(struct row_counts *counts)
{
	counts->places.value_size = sizeof(size_t);
	if (getrandom(&counts->seed, sizeof(counts->seed), GRND_NONBLOCK) != sizeof(counts->seed))
		counts->seed = 0;
}

struct row_count *row_counts__at(struct row_counts *counts, const char *key, size_t size)
{
	struct row_count *count;
	uint64_t number;
	size_t *place;

	if (!counts->places.value_size)
		begin(counts);
	number = number_of(counts, key, size);
	/* two keys of one number: the later one is at the next */
	while ((place = hash__find(&counts->places, number)) && !is_key(&counts->list[*place], key, size))
		number++;
	if (place)
		return &counts->list[*place];
	if (counts->with_hists && !counts->others.hist)
		counts->others.hist = calloc(1, sizeof(*counts->others.hist));
	if (counts->sums && !counts->others.sums)
		counts->others.sums = calloc(counts->sums, sizeof(*counts->others.sums));
	count = add(counts, key, size);
	place = count ? hash__add(&counts->places, number) : NULL;
	if (place) {
		*place = count->number;
		return count;
	}
	if (count) {
		counts->count--;
		free(count->key);
		free(count->hist);
		free(count->sums);
	}
	return &counts->others;
}

void row_counts__add_sums(const struct row_counts *counts, struct row_count *to, const struct row_count *from)
{
	for (size_t i = 0; to->sums && from->sums && i < counts->sums; i++) {
		to->sums[i].total += from->sums[i].total;
		to->sums[i].rows += from->sums[i].rows;
	}
}

static int compare(const void *a, const void *b, void *ctx)
{
	const struct row_count *left = a, *right = b;
	const size_t *by = ctx;

	if (by && left->sums[*by].total != right->sums[*by].total)
		return left->sums[*by].total < right->sums[*by].total ? 1 : -1;
	if (left->count != right->count)
		return left->count < right->count ? 1 : -1;
	return left->number < right->number ? -1 : 1;
}

void row_counts__rank(struct row_counts *counts)
{
	if (counts->count)
		qsort_r(counts->list, counts->count, sizeof(*counts->list), compare, (void *)counts->rank_by);
}

void row_counts__clear(struct row_counts *counts)
{
	for (size_t i = 0; i < counts->count; i++) {
		free(counts->list[i].key);
		free(counts->list[i].hist);
		free(counts->list[i].sums);
	}
	free(counts->list);
	free(counts->others.hist);
	free(counts->others.sums);
	hash__free(&counts->places);
	counts->list = NULL;
	counts->count = counts->room = counts->bytes = 0;
	counts->others = (struct row_count){ .count = 0 };
}
