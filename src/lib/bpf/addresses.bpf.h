/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The number of a function by its address.  The user side fills the table without collisions beyond ADDRESSES_TRIES, so that it costs a
 * third of a hash map's lookup.  Include it once in a tool, after vmlinux.h.
 */
#ifndef PROBELIGHT_ADDRESSES_BPF_H
#define PROBELIGHT_ADDRESSES_BPF_H

#include <bpf/bpf_helpers.h>

#include "lib/shared/addresses.h"

/* The user side makes it as large as it must be. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct address_place);
} places SEC(".maps");

const volatile __u64 place_factor = 0;
const volatile __u32 place_shift = 63;

/* Whether the address is in the table, and its number. */
static __always_inline bool address_number(__u64 address, __u32 *number)
{
	__u32 first = (__u32)(address * place_factor >> place_shift);

	for (__u32 i = 0; i < ADDRESSES_TRIES; i++) {
		__u32 at = first + i;
		struct address_place *place = bpf_map_lookup_elem(&places, &at);

		if (place && place->address == address) {
			*number = (__u32)place->number;
			return true;
		}
	}
	return false;
}

#endif
