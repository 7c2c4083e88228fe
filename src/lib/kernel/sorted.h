/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists that are sorted by an address. */
#ifndef PROBELIGHT_SORTED_H
#define PROBELIGHT_SORTED_H

#include <stddef.h>
#include <stdint.h>

/* How many of count entries have an address up to this one.  It is an entry's first member, a uint64_t; each takes size bytes. */
static inline size_t sorted__up_to(const void *list, size_t count, size_t size, uint64_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (*(const uint64_t *)((const char *)list + middle * size) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
