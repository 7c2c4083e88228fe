/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the ring buffer of programs, as the source of a run (pump.h), and hands its records over until enough events were printed. */
#ifndef PROBELIGHT_READER_H
#define PROBELIGHT_READER_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/libbpf.h>

#include "pump.h"

struct reader {
	const struct out *out;				/* its error ends the printing */
	void (*print)(void *ctx, const void *event, size_t size);
	void *ctx;					/* for print */
	uint64_t events_max;				/* 0: no limit */
	bool takes_all;					/* also what is left when the output has failed goes to print */
	int64_t idle_ms;				/* the longest sleep */

	/* the rest is reader.c's */
	struct ring_buffer *ring;
	struct source *source;
	struct batch *batch;				/* that is being read */
	uint64_t events;				/* handed to print */
	uint64_t unread;				/* drained, but nobody wanted them any more */
	int64_t nap_ms, quiet_ms, drain_until_ms;
};

/* Maps the ring of an object that includes ring.bpf.h and is loaded.  0 or -errno; -ENOENT where the object has no ring. */
int reader__open(struct reader *reader, const struct bpf_object *object);
/* Takes a zeroed reader, too. */
void reader__free(struct reader *reader);

/* Hands over what is in the ring until the batch is over, and sets how long the source may then sleep.  0 or -errno. */
int reader__read(struct reader *reader, struct source *source, struct batch *batch);

/* The same after everything is detached: waits a moment for records that programs have in hand. */
int reader__read_last(struct reader *reader, struct batch *batch);

/* Whether the output has failed, or has taken events_max. */
bool reader__is_enough(const struct reader *reader);

#endif
