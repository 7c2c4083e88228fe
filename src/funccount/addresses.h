/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of bpf/addresses.bpf.h: the numbers of functions by their addresses.
 *
 *	addresses__prepare(&addresses, &functions, skel->maps.places);		before load
 *	skel->rodata->place_factor = addresses.factor;
 *	skel->rodata->place_shift = addresses.shift;
 *	addresses__fill(&addresses, skel->maps.places);				after it
 */
#ifndef PROBELIGHT_ADDRESSES_H
#define PROBELIGHT_ADDRESSES_H

#include <stddef.h>
#include <stdint.h>

#include <bpf/libbpf.h>

#include "lib/ftrace/functions.h"

struct address_place;

struct addresses {
	struct address_place *places;
	uint64_t factor;
	uint32_t shift;
	uint32_t count;		/* places */
};

/*
 * Finds a place for each function's address, whose number is its index, and makes the map as large.  0, -ENOMEM, or -ENOSPC:
 * no table is found. addresses__free() takes one that failed or is zeroed.
 */
int addresses__prepare(struct addresses *addresses, const struct functions *functions, struct bpf_map *map);
void addresses__free(struct addresses *addresses);

/* Writes the places into the map.  0 or -errno of bpf(2). */
int addresses__fill(const struct addresses *addresses, const struct bpf_map *map);

#endif
