/* SPDX-License-Identifier: BSD-2-Clause */
/* Paths in events. */
#ifndef PROBELIGHT_PATH_H
#define PROBELIGHT_PATH_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define PATH_SIZE 4096		/* PATH_MAX, its 0 byte included (linux/limits.h) */
#define PATH_ROOM_SHORT 96	/* most paths fit; an event with a longer one gets PATH_SIZE (lib/bpf/path.bpf.h) */

#define PATH_FILTER_MAX 63
#define PATH_FILTER_SEARCHED 512	/* bytes of a path */

/* Paths that have these bytes in them are wanted. */
struct path_filter {
	__u64 places[256];	/* of each byte: bit N is set if it is at N in the wanted ones, bit 63 but for 0 */
	__u64 last;		/* the bit of the last one; 0: any path */
};

#endif
