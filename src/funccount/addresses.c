/* SPDX-License-Identifier: BSD-2-Clause */
#include "addresses.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/shared/addresses.h"

#define BITS_MAX 24
#define FACTORS 32	/* that are tried with a size */

/* Places for so many functions: four for each, so that one of the first factors puts every function near its place. */
static uint32_t first_bits(size_t functions)
{
	uint32_t bits = 3;

	while (1u << bits < 4 * functions)
		bits++;
	return bits;
}

/* Puts every address into a table of 2^bits places and some behind; false where one finds none near its own. */
static bool place_all(const struct addresses *addresses, const struct functions *functions)
{
	memset(addresses->places, 0, addresses->count * sizeof(*addresses->places));
	for (size_t i = 0; i < functions->count; i++) {
		uint64_t address = functions->list[i].address;
		uint32_t at = (uint32_t)(address * addresses->factor >> addresses->shift), tries = 0;

		while (addresses->places[at].address && tries < ADDRESSES_TRIES)
			at++, tries++;
		if (tries == ADDRESSES_TRIES)
			return false;
		addresses->places[at] = (struct address_place){ address, i };
	}
	return true;
}

/* An odd factor that spreads them is found by trying, mostly the first. */
static bool find_factor(struct addresses *addresses, const struct functions *functions)
{
	addresses->factor = 0x9e3779b97f4a7c15ull;
	for (int tried = 0; tried < FACTORS; tried++) {
		if (place_all(addresses, functions))
			return true;
		addresses->factor = (addresses->factor * 6364136223846793005ull + 1442695040888963406ull) | 1;
	}
	return false;
}

int addresses__prepare(struct addresses *addresses, const struct functions *functions, struct bpf_map *map)
{
	for (uint32_t bits = first_bits(functions->count); bits < BITS_MAX; bits++) {
		addresses->count = (1u << bits) + ADDRESSES_TRIES;
		addresses->shift = 64 - bits;
		addresses->places = malloc(addresses->count * sizeof(*addresses->places));
		if (!addresses->places)
			return -ENOMEM;
		if (find_factor(addresses, functions))
			return bpf_map__set_max_entries(map, addresses->count);
		addresses__free(addresses);
	}
	return -ENOSPC;
}

void addresses__free(struct addresses *addresses)
{
	free(addresses->places);
	addresses->places = NULL;
}

int addresses__fill(const struct addresses *addresses, const struct bpf_map *map)
{
	int err = 0;

	for (uint32_t at = 0; at < addresses->count && !err; at++)
		if (addresses->places[at].address)
			err = bpf_map__update_elem(map, &at, sizeof(at), &addresses->places[at], sizeof(addresses->places[at]), 0);
	return err;
}
