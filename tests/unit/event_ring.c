/* SPDX-License-Identifier: BSD-2-Clause */
/* A ring buffer whose window moves with the records (lib/run/event_ring), over a file that is laid out as the kernel's. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "lib/run/event_ring.h"

static size_t page;		/* of the kernel that is played: a multiple of the real one's */
static int file;
static unsigned char *whole;	/* the file */
static size_t data_size;
static uint64_t produced;

static void put(const void *bytes, size_t size, uint64_t at)
{
	/* the data is there twice */
	for (size_t i = 0; i < size; i++) {
		unsigned char *place = whole + 2 * page + (at + i) % data_size;

		place[0] = place[data_size] = ((const unsigned char *)bytes)[i];
	}
}

/* A record of that many bytes, of which the first is seed, the next one more and so on. */
static void produce(uint32_t size, unsigned char seed, uint32_t bits)
{
	static unsigned char bytes[1 << 17];
	uint64_t header = size | bits;

	for (uint32_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)(seed + i);
	put(&header, sizeof(header), produced);
	put(bytes, size, produced + BPF_RINGBUF_HDR_SZ);
	produced += (size + BPF_RINGBUF_HDR_SZ + 7) & ~7u;
	memcpy(whole + page, &produced, sizeof(produced));
}

static void consume(struct event_ring *ring, uint32_t size, unsigned char seed)
{
	struct event_ring_record record = {};
	const unsigned char *bytes;
	bool same = true;

	if (!CHECK_INT(event_ring__look(ring, event_ring__end(ring), &record), RING_RECORD) || !CHECK_INT(record.size, size))
		return;
	bytes = record.data;
	for (uint32_t i = 0; i < size; i++)
		same &= bytes[i] == (unsigned char)(seed + i);
	CHECK(same);
	event_ring__take(ring, &record);
}

static void expect_empty(struct event_ring *ring)
{
	struct event_ring_record record;

	CHECK_INT(event_ring__look(ring, event_ring__end(ring), &record), RING_EMPTY);
	CHECK_INT(*ring->consumer, produced);
}

static void begin(struct event_ring *ring, size_t size, size_t record_max)
{
	file = memfd_create("ring", 0);
	data_size = size;
	produced = 0;
	CHECK_INT(ftruncate(file, (off_t)(2 * page + 2 * size)), 0);
	whole = mmap(NULL, 2 * page + 2 * size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	CHECK(whole != MAP_FAILED);
	CHECK_INT(event_ring__map(ring, file, size, record_max, page), 0);
}

static void end(struct event_ring *ring)
{
	event_ring__unmap(ring);
	munmap(whole, 2 * page + 2 * data_size);
	close(file);
}

/* Records of all kinds of sizes, three times around. */
static void test_around(size_t size, size_t record_max, size_t room, bool rests)
{
	struct event_ring ring;
	unsigned char seed = 1;
	uint32_t length = 1;

	begin(&ring, size, record_max);
	CHECK_INT(ring.room, room);
	while (produced < 3 * size) {
		length = length * 5 + 3;
		if (length > record_max)
			length %= 97;
		produce(length, seed, 0);
		produce(9, 0, BPF_RINGBUF_DISCARD_BIT);
		consume(&ring, length, seed++);
		expect_empty(&ring);
		if (rests)
			event_ring__rest(&ring);
		CHECK(!rests || ring.window_size <= (page > 32 * 1024 ? page : 32 * 1024));
	}
	/* much came: all is mapped, and nothing has to move */
	CHECK_INT(ring.window_size, rests ? ring.window_size : room);
	end(&ring);
}

/* As large as can be, from each place of a page. */
static void test_largest(void)
{
	struct event_ring ring;

	begin(&ring, 1 << 18, 65536);
	for (unsigned int i = 0; i < 30; i++) {
		produce(65536, (unsigned char)i, 0);
		consume(&ring, 65536, (unsigned char)i);
		produce(264, (unsigned char)i, 0);
		consume(&ring, 264, (unsigned char)i);
		expect_empty(&ring);
	}
	end(&ring);
}

/* The ring is full: many records are waiting, and the window follows. */
static void test_full(void)
{
	struct event_ring ring;

	begin(&ring, 1 << 18, 1000);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 1000; i++)
			produce(200, (unsigned char)i, 0);
		for (int i = 0; i < 1000; i++)
			consume(&ring, 200, (unsigned char)i);
		expect_empty(&ring);
		if (round)
			event_ring__rest(&ring);
	}
	end(&ring);
}

/* A record that a program has in hand, and one without a window: both are there later. */
static void test_later(void)
{
	struct event_ring ring;
	struct event_ring_record record;
	uint64_t header = 100;
	int right;

	begin(&ring, 1 << 18, 1000);
	produce(100, 7, BPF_RINGBUF_BUSY_BIT);
	CHECK_INT(event_ring__look(&ring, event_ring__end(&ring), &record), RING_BUSY);
	put(&header, sizeof(header), 0);
	consume(&ring, 100, 7);
	for (int i = 0; i < 64; i++)
		produce(2040, 3, 0);
	right = ring.fd;
	ring.fd = -1;
	for (int i = 0; i < 15; i++)
		consume(&ring, 2040, 3);
	CHECK_INT(event_ring__look(&ring, event_ring__end(&ring), &record), RING_BUSY);
	ring.fd = right;
	for (int i = 15; i < 64; i++)
		consume(&ring, 2040, 3);
	expect_empty(&ring);
	end(&ring);
}

int main(void)
{
	static const size_t pages[] = { 4096, 16384, 65536 };
	size_t real = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++) {
		page = pages[i];
		if (page % real)
			continue;
		for (int rests = 0; rests < 2; rests++) {
			test_around(1 << 16, 1000, (1 << 16) + page, rests);
			test_around(1 << 17, 1000, (1 << 17) + page, rests);
			test_around(1 << 17, 20000, (1 << 17) + (20000 + BPF_RINGBUF_HDR_SZ + page - 1) / page * page, rests);
			test_around(1 << 16, 65000, 2 << 16, rests);
		}
		test_around(page, 100, 2 * page, true);
		test_largest();
		test_full();
		if (page < 32 * 1024)
			test_later();
	}
	return check_done();
}
