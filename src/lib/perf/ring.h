/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Walks the ring buffer of a perf event (include/uapi/linux/perf_event.h): records of a header and as many bytes as that says, the last one
 * of which may go on at the buffer's begin. The bytes are not believed: nothing outside of the buffer is read, and the walk ends.
 * It does no I/O.
 */
#ifndef PROBELIGHT_PERF_RING_H
#define PROBELIGHT_PERF_RING_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a record at most: its size has 16 bits. */
#define PERF_RECORD_MAX 65536

struct perf_ring {
	const uint8_t *data;	/* size bytes, a power of two */
	size_t size;
	uint64_t at, head;	/* what is to be read; they count all bytes since the buffer began */
	uint8_t *copy;		/* PERF_RECORD_MAX bytes for a record in two parts */
};

/* The next record, in the buffer or in copy; NULL: there is none. What is no record ends the walk, with *broken. */
const struct perf_event_header *perf_ring__next(struct perf_ring *ring, int *broken);

/* What a record of the events that lib/perf/sampler opens tells, by its type. */
struct perf_ring_record {
	uint32_t type;		/* PERF_RECORD_SAMPLE, _COMM, _FORK, _LOST, or another one, of which nothing is reported */
	uint64_t time_ns;
	uint32_t cpu;
	uint32_t pid, tid;	/* COMM, FORK: the task; */
	uint32_t ptid;		/* FORK: the thread that made it */
	const char *comm;	/* COMM: ended by a 0 byte */
	const void *raw;	/* SAMPLE */
	size_t raw_size;
	uint64_t lost;		/* LOST: records */
};

/* Reads a record of an event with PERF_SAMPLE_TIME, _CPU and _RAW, and sample_id_all. 0 or -EINVAL. */
int perf_ring__parse(const struct perf_event_header *header, struct perf_ring_record *record);

#endif
