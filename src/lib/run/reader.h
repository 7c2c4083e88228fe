/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the ring buffers of programs, as the source of a run (pump.h), and hands their records over until enough events were printed.
 *
 * Several rings are merged by the time that each record begins with.  A turn takes what is older than its begin, less READER_LATE_NS: by
 * then all older records are reserved, on whatever CPU, because a program takes the time after the reservation, or just before it.
 * A record that a program still has in hand stops the turn, as it may be older than others.  Others are read without it after
 * READER_BUSY_MS, or if a ring is half full; then it comes late.
 */
#ifndef PROBELIGHT_READER_H
#define PROBELIGHT_READER_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pump.h"
#include "event_ring.h"
#include "rings.h"

#define READER_LATE_NS 20000
#define READER_BUSY_MS 100

struct reader_ring {
	struct event_ring ring;
	uint64_t busy_at;			/* where a record was in hand when the ring was read last */
	int64_t busy_ms;			/* since when; as loop__now_ms() */
};

struct reader {
	const struct out *out;				/* its error ends the printing */
	void (*print)(void *ctx, const void *event, size_t size);
	void *ctx;					/* for print */
	uint64_t events_max;				/* 0: no limit */
	bool takes_all;					/* also what is left when the output has failed goes to print */
	int64_t idle_ms;				/* the longest sleep */

	/* the rest is reader.c's */
	struct reader_ring rings[RINGS_MAX];
	size_t rings_count;
	int poll_fd;				/* readable when there is a record; of one ring, that one's */
	struct source *source;
	struct batch *batch;				/* that is being read */
	uint64_t events;				/* handed to print */
	uint64_t unread;				/* drained, but nobody wanted them any more */
	int64_t nap_ms, quiet_ms, rested_ms, drain_until_ms;
};

/*
 * Maps the rings of an object that includes ring.bpf.h and is loaded; record_max: bytes of the largest record, 0: below 4 KiB.  rings
 * must live on.  0 or -errno; -ENOENT where the object has no ring.
 */
int reader__open(struct reader *reader, const struct rings *rings, size_t record_max);
/* Takes a zeroed reader, too. */
void reader__free(struct reader *reader);

/* Hands over what is in the rings until the batch is over, and sets how long the source may then sleep.  0 or -errno. */
int reader__read(struct reader *reader, struct source *source, struct batch *batch);

/* The same after everything is detached: waits a moment for records that programs have in hand. */
int reader__read_last(struct reader *reader, struct batch *batch);

/* Whether the output has failed, or has taken events_max. */
bool reader__is_enough(const struct reader *reader);

#endif
