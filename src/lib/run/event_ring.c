/* SPDX-License-Identifier: BSD-2-Clause */
#include "event_ring.h"

#include <errno.h>
#include <sys/mman.h>

#define WINDOW (32 * 1024)
#define SLIDES 3	/* then all is mapped */

/* The least that is mapped. */
static size_t least(const struct event_ring *ring)
{
	return ring->page > WINDOW ? ring->page : WINDOW;
}

/* Address space without memory, at that place or, NULL, at any. */
static void *reserve(void *at, size_t size)
{
	return mmap(at, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED : 0), -1, 0);
}

int event_ring__slide(struct event_ring *ring, size_t at, size_t bytes)
{
	size_t page = ring->page, begin = at & ~(page - 1), size = (at - begin + bytes + page - 1) & ~(page - 1);
	void *window;

	if (size < least(ring))
		size = least(ring);
	if (ring->slides++ >= SLIDES || size > ring->room) {
		begin = 0;
		size = ring->room;
	} else if (size > 2 * ring->size - begin) {
		size = 2 * ring->size - begin;
	}
	if (size < ring->window_size)
		reserve(ring->window, ring->room);
	/* two pages with the positions come first */
	window = mmap(ring->window, size, PROT_READ, MAP_SHARED | MAP_FIXED, ring->fd, (off_t)(2 * page + begin));
	ring->window_at = begin;
	ring->window_size = window == MAP_FAILED ? 0 : size;
	return ring->window_size ? 0 : -errno;
}

void event_ring__rest(struct event_ring *ring)
{
	/* a window that is small and has not moved may stay */
	if (ring->window_size > least(ring) && reserve(ring->window, ring->room) != MAP_FAILED)
		ring->window_size = 0;
	ring->slides = 0;
}

int event_ring__map(struct event_ring *ring, int fd, size_t size, size_t record_max, size_t page)
{
	/* a record may begin at the end of the data, and go on behind it */
	size_t more = (record_max + BPF_RINGBUF_HDR_SZ + page - 1) & ~(page - 1);
	void *consumer, *producer, *window;
	int err;

	*ring = (struct event_ring){ .size = size, .room = size + (more < size ? more : size), .page = page, .fd = fd };
	consumer = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (consumer == MAP_FAILED)
		return -errno;
	producer = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, (off_t)page);
	window = reserve(NULL, ring->room);
	err = producer == MAP_FAILED || window == MAP_FAILED ? -ENOMEM : 0;
	ring->consumer = consumer;
	ring->producer = producer == MAP_FAILED ? NULL : producer;
	ring->window = window == MAP_FAILED ? NULL : window;
	ring->at = *ring->consumer;
	if (!err)
		err = event_ring__slide(ring, ring->at & (size - 1), BPF_RINGBUF_HDR_SZ);
	event_ring__rest(ring);
	if (err)
		event_ring__unmap(ring);
	return err;
}

void event_ring__unmap(struct event_ring *ring)
{
	if (!ring->consumer)
		return;
	munmap(ring->consumer, ring->page);
	if (ring->producer)
		munmap((void *)ring->producer, ring->page);
	if (ring->window)
		munmap(ring->window, ring->room);
	ring->consumer = NULL;
}
