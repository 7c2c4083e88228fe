/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names of places in the kernel's code, out of the kernel itself.  A program sends the name of a place with the first event
 * that has it; the user side keeps it (lib/kernel/places).  An event that is lost has not told it: the next one does.
 *
 * bpf_snprintf() looks the name up, since 5.13: the caller asks for it only where the kernel has it (kernel__has_snprintf()).
 * Include it once in a tool, after vmlinux.h.
 */
#ifndef PROBELIGHT_PLACE_BPF_H
#define PROBELIGHT_PLACE_BPF_H

#include <bpf/bpf_helpers.h>

#include "lib/shared/place.h"

#define PLACES_MAX 1024		/* the names of further ones are sent each time */

/* By address: the places whose names the user side has. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PLACES_MAX);
	__type(key, __u64);
	__type(value, __u8);
} places_sent SEC(".maps");

/* B: the address is where a call returns to, which may be the first byte of the next function. */
const char place_format[] = "%pB";

static __always_inline bool place_is_told(__u64 address)
{
	return bpf_map_lookup_elem(&places_sent, &address);
}

/* Writes the name into a record that has room for it, and that will be submitted. */
static __always_inline void place_tell(__u64 address, char name[PLACE_NAME_SIZE])
{
	__u8 sent = 1;

	bpf_snprintf(name, PLACE_NAME_SIZE, place_format, &address, sizeof(address));
	bpf_map_update_elem(&places_sent, &address, &sent, BPF_ANY);
}

#endif
