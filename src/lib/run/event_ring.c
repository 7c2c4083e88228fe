/* SPDX-License-Identifier: BSD-2-Clause */
#include "event_ring.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

int event_ring__map(struct event_ring *ring, int fd, size_t size, size_t record_max)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	/* a record may begin at the end of the data and go on at its beginning, which the kernel maps once more behind it */
	size_t more = (record_max + BPF_RINGBUF_HDR_SZ + page - 1) / page * page;
	void *consumer, *producer;

	*ring = (struct event_ring){ .size = size, .mapped = page + size + (more < size ? more : size) };
	consumer = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (consumer == MAP_FAILED)
		return -errno;
	producer = mmap(NULL, ring->mapped, PROT_READ, MAP_SHARED, fd, (off_t)page);
	if (producer == MAP_FAILED) {
		int err = -errno;

		munmap(consumer, page);
		return err;
	}
	ring->consumer = consumer;
	ring->producer = producer;
	ring->data = (const char *)producer + page;
	ring->at = *ring->consumer;
	return 0;
}

void event_ring__unmap(struct event_ring *ring)
{
	if (!ring->consumer)
		return;
	munmap(ring->consumer, (size_t)sysconf(_SC_PAGESIZE));
	munmap((char *)ring->data - sysconf(_SC_PAGESIZE), ring->mapped);
	ring->consumer = NULL;
}
