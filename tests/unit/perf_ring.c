/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/perf/ring: records that the kernel could have written, also over the buffer's end, and bytes that are none. */
#include "lib/perf/ring.h"

#include <string.h>

#include "check.h"

#define SIZE 256

static uint8_t buffer[SIZE], copy[PERF_RECORD_MAX];
static uint64_t head;

static void put(const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		buffer[head++ % SIZE] = ((const uint8_t *)bytes)[i];
}

static void put_u32(uint32_t value)
{
	put(&value, sizeof(value));
}

static void put_u64(uint64_t value)
{
	put(&value, sizeof(value));
}

/* The header of a record of so many bytes. */
static void put_header(uint32_t type, size_t size)
{
	const struct perf_event_header header = { .type = type, .size = (uint16_t)size };

	put(&header, sizeof(header));
}

static void put_sample(uint64_t time, uint32_t cpu, const char raw[20])
{
	put_header(PERF_RECORD_SAMPLE, 8 + 20 + 20);
	put_u64(time);
	put_u32(cpu);
	put_u32(0);
	put_u32(20);
	put(raw, 20);
}

static void put_trailer(uint64_t time, uint32_t cpu)
{
	put_u64(time);
	put_u32(cpu);
	put_u32(0);
}

static struct perf_ring_record next(struct perf_ring *ring)
{
	struct perf_ring_record record = { .type = 0 };
	const struct perf_event_header *header;
	int broken;

	ring->head = head;
	header = perf_ring__next(ring, &broken);
	CHECK_INT(broken, 0);
	CHECK(header != NULL);
	if (header)
		CHECK_INT(perf_ring__parse(header, &record), 0);
	return record;
}

static void check_records(void)
{
	struct perf_ring ring = { .data = buffer, .size = SIZE, .copy = copy };
	struct perf_ring_record record;
	int broken;

	put_header(PERF_RECORD_COMM, 8 + 8 + 8 + 16);
	put_u32(10);
	put_u32(11);
	put("a task\0\0", 8);
	put_trailer(100, 1);
	put_header(PERF_RECORD_FORK, 8 + 24 + 16);
	put_u32(20);
	put_u32(10);
	put_u32(21);
	put_u32(11);
	put_u64(101);
	put_trailer(102, 2);
	put_header(PERF_RECORD_LOST, 8 + 16 + 16);
	put_u64(7);
	put_u64(12345);
	put_trailer(103, 3);
	record = next(&ring);
	CHECK(record.type == PERF_RECORD_COMM && record.pid == 10 && record.tid == 11 && record.time_ns == 100 && record.cpu == 1);
	CHECK_STR(record.comm, "a task");
	record = next(&ring);
	CHECK(record.type == PERF_RECORD_FORK && record.pid == 20 && record.tid == 21 && record.ptid == 11 && record.time_ns == 102);
	record = next(&ring);
	CHECK(record.type == PERF_RECORD_LOST && record.lost == 12345 && record.time_ns == 103);
	CHECK(!perf_ring__next(&ring, &broken) && !broken);
	/* many times around: at each place where a record can be cut in two */
	for (uint64_t i = 0; i < 100; i++) {
		char raw[20] = "0123456789abcdefghi";

		raw[0] = (char)i;
		put_sample(1000 + i, 5, raw);
		record = next(&ring);
		CHECK(record.type == PERF_RECORD_SAMPLE && record.time_ns == 1000 + i && record.cpu == 5);
		CHECK(record.raw_size == 20 && !memcmp(record.raw, raw, 20));
		/* moves the next one by 8 */
		put_header(PERF_RECORD_THROTTLE, 8 + 16 + 8 * (i % 3));
		for (uint64_t j = 0; j < i % 3; j++)
			put_u64(0);
		put_trailer(2000, 0);
		CHECK_INT(next(&ring).type, PERF_RECORD_THROTTLE);
	}
}

/* Whatever the header says, the walk ends there. */
static void check_broken(uint32_t type, uint16_t said, size_t written)
{
	struct perf_ring ring = { .data = buffer, .size = SIZE, .copy = copy };
	const struct perf_event_header *header;
	struct perf_ring_record record;
	int broken;

	head = 0;
	put_header(type, said);
	for (size_t i = 8; i < written; i++)
		put("\xff", 1);
	ring.head = head;
	header = perf_ring__next(&ring, &broken);
	CHECK(header ? perf_ring__parse(header, &record) < 0 : broken);
	CHECK(!perf_ring__next(&ring, &broken) && !broken);
}

int main(void)
{
	struct perf_ring ring = { .data = buffer, .size = SIZE, .copy = copy, .head = SIZE + 8 };
	int broken;

	check_records();
	check_broken(PERF_RECORD_SAMPLE, 0, 64);
	check_broken(PERF_RECORD_SAMPLE, 12, 64);
	check_broken(PERF_RECORD_SAMPLE, 72, 64);
	check_broken(PERF_RECORD_SAMPLE, 24, 24);
	check_broken(PERF_RECORD_SAMPLE, 64, 64);
	check_broken(PERF_RECORD_COMM, 16, 16);
	check_broken(PERF_RECORD_COMM, 64, 64);
	check_broken(PERF_RECORD_FORK, 40, 40);
	check_broken(PERF_RECORD_LOST, 24, 24);
	/* more than the buffer has */
	CHECK(!perf_ring__next(&ring, &broken) && broken);
	return check_done();
}
