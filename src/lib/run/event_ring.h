/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One BPF ring buffer, mapped (Documentation/bpf/ringbuf.rst of the kernel).  Not libbpf's ring_buffer: several rings are merged by time,
 * which needs a look at a ring's next record before it is taken.  And while little comes only a window of the data is mapped, which moves
 * with the records: from 6.12 on every page that is mapped counts as the tool's memory, though it is the ring's.  Where much comes all is
 * mapped, as each page that the window moves to takes some 2,000 instructions.
 *
 *	while ((state = event_ring__look(&ring, end, &record)) == RING_RECORD) {
 *		… record.data …
 *		event_ring__take(&ring, &record);
 *	}
 */
#ifndef PROBELIGHT_EVENT_RING_H
#define PROBELIGHT_EVENT_RING_H

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

struct event_ring {
	uint64_t *consumer;	/* the positions; NULL: it is not mapped */
	const uint64_t *producer;
	char *window;		/* of the data, which the kernel has twice, one behind the other: size bytes, and the same once more */
	size_t window_at, window_size;	/* where in the data it begins, a multiple of the page, and its bytes; 0 bytes: there is none now */
	unsigned int slides;	/* since event_ring__rest() */
	uint64_t at;		/* *consumer */
	size_t size;		/* a power of two */
	size_t room;		/* bytes of address space for the window */
	size_t page;		/* bytes of one of the kernel's */
	int fd;			/* the caller's */
};

struct event_ring_record {
	const void *data;	/* valid until it is taken */
	uint32_t size;
};

enum event_ring_state {
	RING_EMPTY,
	RING_BUSY,		/* the next record is reserved, and not submitted yet */
	RING_RECORD,
};

/*
 * Maps the ring of that file descriptor, which stays open.  size: bytes of its data, as the kernel made it, at least a page; record_max:
 * bytes of the largest record; page: bytes of the kernel's pages.  0 or -errno.
 */
int event_ring__map(struct event_ring *ring, int fd, size_t size, size_t record_max, size_t page);
/* Takes a zeroed one, too. */
void event_ring__unmap(struct event_ring *ring);

/* Moves the window to so many bytes at that place of the data.  0, or -errno: later it may work. */
int event_ring__slide(struct event_ring *ring, size_t at, size_t bytes);

/* Little comes by now: less is mapped with the next record. */
void event_ring__rest(struct event_ring *ring);

/* Up to where records are reserved now. */
static inline uint64_t event_ring__end(const struct event_ring *ring)
{
	return __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE);
}

static inline void event_ring__move(struct event_ring *ring, uint32_t size)
{
	ring->at += (size + BPF_RINGBUF_HDR_SZ + 7) & ~7u;
	__atomic_store_n(ring->consumer, ring->at, __ATOMIC_RELEASE);
}

/*
 * The next record before end, which event_ring__end() gave; records that were discarded are taken.  The data of the record before is not
 * valid any more.
 */
static inline enum event_ring_state event_ring__look(struct event_ring *ring, uint64_t end, struct event_ring_record *record)
{
	while (ring->at < end) {
		size_t at = ring->at & (ring->size - 1), offset = at - ring->window_at;
		uint32_t header;

		/* a window has room for a header at least; what is before it is far behind */
		if (offset >= ring->window_size) {
			if (event_ring__slide(ring, at, BPF_RINGBUF_HDR_SZ))
				return RING_BUSY;
			offset = at - ring->window_at;
		}
		header = __atomic_load_n((const uint32_t *)(ring->window + offset), __ATOMIC_ACQUIRE);
		if (header & BPF_RINGBUF_BUSY_BIT)
			return RING_BUSY;
		record->size = header & ~BPF_RINGBUF_DISCARD_BIT;
		if (!(header & BPF_RINGBUF_DISCARD_BIT)) {
			if (offset + BPF_RINGBUF_HDR_SZ + record->size > ring->window_size) {
				if (event_ring__slide(ring, at, BPF_RINGBUF_HDR_SZ + record->size))
					return RING_BUSY;
				offset = at - ring->window_at;
			}
			record->data = ring->window + offset + BPF_RINGBUF_HDR_SZ;
			return RING_RECORD;
		}
		event_ring__move(ring, record->size);
	}
	return RING_EMPTY;
}

/* Gives the record's room back. */
static inline void event_ring__take(struct event_ring *ring, const struct event_ring_record *record)
{
	event_ring__move(ring, record->size);
}

#endif
