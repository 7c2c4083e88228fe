/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reader of the ring buffer: sleeps until something happens, hands the records over in batches, is stopped by a
 * signal, a deadline, a number of events or a closed output, and counts what did not get through.
 */
#ifndef PROBELIGHT_READER_H
#define PROBELIGHT_READER_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/libbpf.h>

#include "lib/shared/event.h"
#include "lib/print/out.h"

struct reader {
	struct out *out;				/* flushed after each batch; its error ends the reading */
	void (*print)(void *ctx, const void *event, size_t size);
	void (*tell_lost)(void *ctx, uint64_t lost);	/* since the last time; at most once a second */
	void (*overdue)(void *ctx);			/* the deadline is over while a write to out has not returned */
	void *ctx;					/* for all three */
	uint64_t events_max;				/* 0: no limit */
	int64_t deadline_ms;				/* CLOCK_MONOTONIC; 0: none */

	/* the rest is reader.c's */
	struct ring_buffer *ring;
	const struct event_stats *stats;		/* EVENT_STATS_SLOTS of them, mapped from the kernel */
	uint64_t events;				/* handed to print */
	uint64_t unread;				/* drained, but nobody wanted them any more */
	uint64_t lost_told;
	int64_t lost_told_ms;
	uint32_t batch;
};

/* From now on SIGINT, SIGTERM and SIGHUP end reader__run, and SIGPIPE is an error of write(). */
void reader__catch_signals(void);

/*
 * From now on a system call that blocks is interrupted once a second, so that a write to a pipe that nobody reads cannot
 * hold the reader up: reader__held_up is for struct out to call then.
 */
void reader__tick(void);
void reader__held_up(void *reader);

/* Whether one of these signals came. */
bool reader__is_stopping(void);

/* The CLOCK_MONOTONIC time that deadline_ms compares with. */
int64_t reader__now_ms(void);

/*
 * Maps the ring and the counters of an object that includes tool.bpf.h and is loaded.  0 or -errno; -ENOENT where
 * the object has none.  reader__free releases it, also a zeroed reader.
 */
int reader__open(struct reader *reader, const struct bpf_object *object);
void reader__free(struct reader *reader);

/* Reads until one of the things named above.  0, or -errno where the ring cannot be read. */
int reader__run(struct reader *reader);

/* Reads what is left, for when nothing is attached any more. */
void reader__drain(struct reader *reader);

/* Counted by the programs so far. */
uint64_t reader__lost(const struct reader *reader);
uint64_t reader__filtered(const struct reader *reader);

/* Whether the object's programs follow calls from their begin to their end, in a map `calls` (call.bpf.h). */
bool reader__follows_calls(const struct bpf_object *object);

/*
 * Events that began and were not seen to end, for when no program sees one begin any more: counted by the programs, and what is
 * left in `calls`.  Kernels since 6.7 know them too.
 */
uint64_t reader__missed(const struct reader *reader, const struct bpf_object *object);

#endif
