/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_MEMLEAK_H
#define PROBELIGHT_MEMLEAK_H

#include "lib/shared/stack.h"

/* An address is that of an allocation in one address space. */
struct memleak_key {
	__u64 address;
	__u64 space;		/* struct mm_struct's address; 0: the kernel's */
};

/* What is allocated there. */
struct memleak_block {
	struct stack_key stack;	/* who allocated it, and where */
	__u64 bytes;
	__u64 since_ns;
};

/*
 * Whatever is allocated is in the table, or left it in one of these ways:
 *
 *	allocs = frees + reused + no_room + (moving_begun - moving_ended) + those in the table
 *
 * and the same of bytes.  Of --sample only those that are chosen count here.
 */
struct memleak_counts {
	/* the events */
	__u64 allocs;
	__u64 frees;
	__u64 unknown;		/* frees of what is not in the table */
	__u64 failed;		/* allocations */

	__u64 alloc_bytes, freed_bytes;
	__u64 reused, reused_bytes;	/* allocated again, while nobody saw it freed */
	__u64 no_room, no_room_bytes;
	/* taken out of the table while realloc() runs; and put back, or counted as freed */
	__u64 moving_begun, moving_begun_bytes;
	__u64 moving_ended, moving_ended_bytes;
	__u64 execs_lost;	/* programs that were executed while there was no room to keep it */
};

#define MEMLEAK_EVENTS 4	/* words of struct memleak_counts that events add one to */
#define MEMLEAK_CALLS 10240	/* under way at the same time */
#define MEMLEAK_ALLOCATIONS 262144	/* without --allocations */
/* Processes that have executed another program: at most, and where all room is made at the start. No more than --allocations, either. */
#define MEMLEAK_EXECS 32768
#define MEMLEAK_EXECS_AT_START 8192
#define MEMLEAK_STACKS 65536	/* that are kept */

#endif
