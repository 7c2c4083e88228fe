/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the ring buffer: hands its records over in batches until the loop is over or enough events were printed. */
#ifndef PROBELIGHT_READER_H
#define PROBELIGHT_READER_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/libbpf.h>

#include "lib/shared/event.h"
#include "batch.h"
#include "loop.h"

struct reader {
	const struct loop *loop;			/* its output is flushed after each batch */
	void (*print)(void *ctx, const void *event, size_t size);
	/* lost and no_room since the last call, which was at least a second ago; no_room is part of lost */
	void (*tell_lost)(void *ctx, uint64_t lost, uint64_t no_room);
	void (*on_deadline)(void *ctx);			/* the deadline is over while a write to the output has not returned */
	/* Looks at how much comes, each look_ms at least: whether that ends the run.  NULL: nobody looks. */
	bool (*look)(void *ctx);
	int64_t look_ms;
	void *ctx;					/* for all four */
	uint64_t events_max;				/* 0: no limit */
	bool is_slow;					/* print may take milliseconds */
	bool takes_all;					/* also what is left when the output has failed goes to print */

	/* the rest is reader.c's */
	struct ring_buffer *ring;
	const struct event_stats *stats;		/* EVENT_STATS_SLOTS of them, mapped from the kernel */
	uint64_t events;				/* handed to print */
	uint64_t unread;				/* drained, but nobody wanted them any more */
	uint64_t lost_told, no_room_told;
	int64_t lost_told_ms;
	struct batch batch;				/* that is being read */
};

/*
 * Maps the ring of an object that includes ring.bpf.h and is loaded; stats are its counters.  0 or -errno; -ENOENT where the
 * object has no ring.  reader__free releases it, also a zeroed reader.
 */
int reader__open(struct reader *reader, const struct bpf_object *object, const struct event_stats *stats);
void reader__free(struct reader *reader);

/* Reads until the loop is over or events_max is reached.  0, or -errno where the ring cannot be read. */
int reader__run(struct reader *reader);

/* Reads what is left, after everything is detached. */
void reader__drain(struct reader *reader);

/* For struct out to call while a write blocks: tells losses, and of the deadline when that is over. */
void reader__on_blocked(void *reader);

#endif
