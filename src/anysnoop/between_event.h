/* SPDX-License-Identifier: BSD-2-Clause */
/* What the programs of --between and the user side share. */
#ifndef PROBELIGHT_BETWEEN_EVENT_H
#define PROBELIGHT_BETWEEN_EVENT_H

#include "lib/shared/event.h"
#include "lib/shared/hist.h"

#define BETWEEN_PAIRS 16384		/* without --pairs: first events that wait for their second one at the same time */
#define BETWEEN_COPY_MAX 1024		/* bytes of the first event's fields that are kept until the second one comes */
#define BETWEEN_KEY_WORDS 64
#define BETWEEN_BY_KEYS 4096	/* without --keys: combinations of the values of --count */

/* Where a program makes the key: word 0 and from word 2 on as in lib/gen/key.h.  And what the table keeps of a first event. */
struct between_begun {
	__u64 begun_ns;
	/* only for rows */
	struct event_task task;
	/* of the event's context (lib/gen/record.h), or of between_values.values */
	__u64 copy[BETWEEN_COPY_MAX / 8];
};

/* The values that times are apart by; from `index` on they are the table's key. */
struct between_values {
	__u64 id, index;
	__u64 values[BETWEEN_KEY_WORDS];
};

struct between_memory {
	__u64 id, index;
	__u64 key[BETWEEN_KEY_WORDS];
	struct between_values by;
	__u64 is_busy;			/* a program is at work here, where others may interrupt it */
	struct between_begun begun;
};

/* A row.  Behind it are the key, the copy of the first event's fields and that of the second's; key_pair.h, lib/gen/record.h. */
struct between_event {
	struct event_task task;		/* that of the first event; ts_ns is the time of the second one */
	__u32 index;			/* this and the CPU where struct anysnoop_event has them */
	__u32 cpu;			/* of the second event */
	__u64 lat_ns;
	__u64 values[];
};

/*
 * What became of the events, a slot a CPU (EVENT_STATS_SLOTS).  begun = ended + replaced + no_room + what is kept in the end.
 */
struct between_stats {
	__u64 begun;		/* first events, with those that found no room */
	__u64 ended;		/* by a second event */
	__u64 replaced;		/* by another first event with the same key, before a second one came */
	__u64 no_room;
	__u64 kept;		/* in the table; one CPU's part may be negative */
	__u64 no_begin;		/* second events without a first one */
	__u64 unreadable;	/* events of either kind whose key cannot be read */
	__u64 faster;		/* ended, and in less than --slower */
};

/* What there is for each combination of values without --hist. */
struct between_times {
	__u64 count;
	__u64 ns;
	__u64 max_ns;
};

struct between_cells {
	struct hist times;
	/* of the values that found no room; max_ns is 0 */
	struct hist_rough other_times;
	struct between_times others;
};

/* Marks in the programs (lib/bpf/patch.bpf.h), besides those of anysnoop.h. */
#define BETWEEN_BEGINS 0x62747701
#define BETWEEN_ENDS 0x62747702
#define BETWEEN_BEGIN_MATCHES 0x62747703
#define BETWEEN_END_MATCHES 0x62747704
#define BETWEEN_BEGIN_KEY 0x62747705
#define BETWEEN_END_KEY 0x62747706
#define BETWEEN_BEGIN_COPY 0x62747707
#define BETWEEN_END_COPY 0x62747708
#define BETWEEN_COPIES_BEGIN 0x62747709
#define BETWEEN_COPIES_END 0x6274770a
#define BETWEEN_HAS_ROWS 0x6274770b
#define BETWEEN_KEY_SIZE 0x6274770c	/* bytes, here and below */
#define BETWEEN_COPY_SIZE 0x6274770d
#define BETWEEN_SIZE 0x6274770e
#define BETWEEN_END_OFFSET 0x6274770f
#define BETWEEN_NESTS 0x62747710
#define BETWEEN_IS_KEPT 0x62747711
#define BETWEEN_OF_TASK 0x62747712
#define BETWEEN_HAS_BY 0x62747713
#define BETWEEN_KEEPS_BY 0x62747714
#define BETWEEN_BEGIN_BY 0x62747715
#define BETWEEN_END_BY 0x62747716
#define BETWEEN_BY_SIZE 0x62747717
#define BETWEEN_BY_HIST 0x62747718
#define BETWEEN_EXCHANGES 0x62747719

#endif
