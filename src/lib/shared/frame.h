/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls of functions that a thread has under way (bpf/frames.bpf.h). */
#ifndef PROBELIGHT_FRAME_H
#define PROBELIGHT_FRAME_H

#ifndef __bpf__
#include <linux/types.h>
#endif

/* A tool may define these three before it includes this. */
#ifndef FRAMES_MAX
#define FRAMES_MAX 32		/* calls under way of one thread; a power of two */
#endif
#ifndef FRAMES_THREADS
#define FRAMES_THREADS 4096	/* threads that have calls under way at the same time; a power of two */
#endif
#ifndef FRAME_WORDS
#define FRAME_WORDS 0		/* what is kept from the begin of a call to its return, its own times apart */
#endif
#ifndef FRAME_WORDS_APART
#define FRAME_WORDS_APART 0	/* the same, for runs that want it only: a map of its own (frames_words), which other runs do not make */
#endif

struct frame {
	__u32 address;		/* the low half of the frame's address on the stack: a thread's stacks are far smaller */
	__u32 function;		/* its number, or the low half of its address */
	__u64 begin_ns;
	__u64 words[FRAME_WORDS];
};

struct frames {
	__u64 task;			/* whose calls these are; 0: nobody has this place */
	__u64 place;			/* its number */
	__u64 depth;
	struct frame calls[FRAMES_MAX];	/* the outermost first */
};

/* What lib/run/missed_calls reads of the programs, in a map .bss.kept. */
struct frames_kept {
	__u64 taken;		/* places */
	__u64 displaced;	/* of them those that are not a thread's first one */
	__u64 never_returned;	/* calls whose task ended in them */
};

#endif
