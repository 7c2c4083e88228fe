/* SPDX-License-Identifier: BSD-2-Clause */
/* The filter on a part of a path.  Include it after vmlinux.h. */
#ifndef PROBELIGHT_PATH_FILTER_BPF_H
#define PROBELIGHT_PATH_FILTER_BPF_H

#include "filter.bpf.h"
#include "lib/shared/path.h"

#define PATH_FILTER_STEP 16	/* a divisor of the sizes of paths in records */

/* Frozen read-only data: without a filter the verifier removes everything below as dead code. */
const volatile struct path_filter path_filter = {};

/*
 * Whether the path lacks the wanted bytes in its beginning.  Not inline: one copy in each program costs a start less.
 *
 * Bit N of state says that the bytes read last are the first N + 1 of the wanted ones (Baeza-Yates and Gonnet, 1992): some ten
 * instructions a byte, without a branch.  The verifier walks each round, and compares its state at a branch with all that it had
 * there before, so the work grows with the square of the number of rounds.  So there is one round for 16 bytes, and only the first
 * PATH_FILTER_SEARCHED bytes are searched.
 */
static __noinline bool path_lacks(const char *path, __u32 size, __u32 room)
{
	__u64 state = 0, found = 0, alive = 1;

#pragma clang loop unroll(disable)
	for (__u32 base = 0; base < PATH_FILTER_SEARCHED; base += PATH_FILTER_STEP) {
		if (base >= size || base >= room)
			break;
#pragma clang loop unroll(full)
		for (__u32 i = 0; i < PATH_FILTER_STEP; i++) {
			__u64 byte = (__u8)path[base + i];
			__u64 places = path_filter.places[byte];

			/* 0 from the path's end on: what follows it in the record is not of it.  Not s>>= 63: 7.x walks both results. */
			alive &= places >> 63;
			state = ((state << 1) | alive) & places;
			found |= state & path_filter.last;
		}
	}
	return !found;
}

/*
 * Whether the event is not wanted for its path; counts it as filtered then.  size: the path's, with its 0 byte, or 0 where
 * there is no path. room, a constant: bytes of the record that may be read.
 */
static __always_inline bool path_filtered(const char *path, __u32 size, const __u32 room)
{
	if (!path_filter.last || !path_lacks(path, size, room))
		return false;
	event_count_filtered();
	return true;
}

#endif
