/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events that programs count by some of their bytes (bpf/event_counts.bpf.h), and the user side prints as --count does
 * (run/counting_kernel.h).
 */
#ifndef PROBELIGHT_EVENT_COUNTS_H
#define PROBELIGHT_EVENT_COUNTS_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define EVENT_COUNTS_WORDS 8	/* of a key, at most */
#define EVENT_COUNTS_SAMPLE 256	/* bytes that are kept of the first event with a key */

/* What the programs count by.  Frozen rodata. */
struct event_counts {
	__u32 words;				/* of the key */
	__u32 reserved;
	__u32 offsets[EVENT_COUNTS_WORDS];	/* of each word in the event, a multiple of 8 … */
	__u64 masks[EVENT_COUNTS_WORDS];	/* … and its bytes that are part of the key */
};

/* What is counted for a key. */
struct event_count {
	__u64 count;
	__u8 sample[EVENT_COUNTS_SAMPLE];	/* what the first event with the key begins with */
};

/*
 * Where a program makes an event that is counted.  Each CPU has a few, as programs interrupt each other, and kernels preempt them.
 */
#define EVENT_SLOTS 8
struct event_slot {
	__u64 users;		/* 1: one program has it, and no other one may */
	__u64 key[EVENT_COUNTS_WORDS];
	struct event_count made;	/* its count stays 0; the event is its sample, and what follows */
};

#endif
