/* SPDX-License-Identifier: BSD-2-Clause */
#include "event_ring.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

/* A window that moves takes some 6,000 instructions (6.12), for as many bytes of records. */
#define WINDOW (64 * 1024)

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

int event_ring__slide(struct event_ring *ring, size_t at)
{
	size_t page = page_size(), begin = at & ~(page - 1);
	size_t rest = 2 * ring->size - begin, size = ring->room < rest ? ring->room : rest;
	/* two pages with the positions come first */
	void *window = mmap(ring->window, size, PROT_READ, MAP_SHARED | MAP_FIXED, ring->fd, (off_t)(2 * page + begin));

	ring->window_at = begin;
	ring->window_size = window == MAP_FAILED ? 0 : size;
	return ring->window_size ? 0 : -errno;
}

int event_ring__map(struct event_ring *ring, int fd, size_t size, size_t record_max)
{
	size_t page = page_size();
	/* a record may begin at the end of its first page */
	size_t room = (record_max + BPF_RINGBUF_HDR_SZ + 2 * page - 1) & ~(page - 1);
	void *consumer, *producer, *window;
	int err;

	if (room < WINDOW)
		room = WINDOW;
	*ring = (struct event_ring){ .size = size, .room = room < size ? room : 2 * size, .fd = fd };
	consumer = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (consumer == MAP_FAILED)
		return -errno;
	producer = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, (off_t)page);
	/* address space alone: windows take its place */
	window = mmap(NULL, ring->room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	err = producer == MAP_FAILED || window == MAP_FAILED ? -ENOMEM : 0;
	ring->consumer = consumer;
	ring->producer = producer == MAP_FAILED ? NULL : producer;
	ring->window = window == MAP_FAILED ? NULL : window;
	ring->at = *ring->consumer;
	if (!err)
		err = event_ring__slide(ring, ring->at & (size - 1));
	if (err)
		event_ring__unmap(ring);
	return err;
}

void event_ring__unmap(struct event_ring *ring)
{
	size_t page = page_size();

	if (!ring->consumer)
		return;
	munmap(ring->consumer, page);
	if (ring->producer)
		munmap((void *)ring->producer, page);
	if (ring->window)
		munmap(ring->window, ring->room);
	ring->consumer = NULL;
}
