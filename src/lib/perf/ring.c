/* SPDX-License-Identifier: BSD-2-Clause */
#include "ring.h"

#include <errno.h>
#include <string.h>

#include "lib/kernel/unaligned.h"

/* What ends each record that is no sample: time, CPU, and 4 bytes that say nothing (struct perf_event's sample_id). */
#define TRAILER_SIZE 16

const struct perf_event_header *perf_ring__next(struct perf_ring *ring, int *broken)
{
	struct perf_event_header header;
	size_t offset = ring->at & (ring->size - 1), until_end = ring->size - offset;

	*broken = 0;
	if (ring->at == ring->head)
		return NULL;
	/* records are aligned to 8 bytes, and so is the end: a header is in one part */
	if (ring->head - ring->at > ring->size || ring->at % 8 || ring->head - ring->at < sizeof(header))
		goto broken;
	memcpy(&header, ring->data + offset, sizeof(header));
	if (header.size < sizeof(header) || header.size % 8 || header.size > ring->head - ring->at)
		goto broken;
	ring->at += header.size;
	if (header.size <= until_end)
		return (const struct perf_event_header *)(ring->data + offset);
	memcpy(ring->copy, ring->data + offset, until_end);
	memcpy(ring->copy + until_end, ring->data, header.size - until_end);
	return (const struct perf_event_header *)ring->copy;
broken:
	ring->at = ring->head;
	*broken = 1;
	return NULL;
}

/* time, cpu, res, size, raw */
static int parse_sample(const uint8_t *body, size_t size, struct perf_ring_record *record)
{
	if (size < 20)
		return -EINVAL;
	record->time_ns = read_u64(body);
	record->cpu = read_u32(body + 8);
	record->raw_size = read_u32(body + 16);
	record->raw = body + 20;
	return record->raw_size <= size - 20 ? 0 : -EINVAL;
}

int perf_ring__parse(const struct perf_event_header *header, struct perf_ring_record *record)
{
	const uint8_t *body = (const uint8_t *)(header + 1);
	size_t size = header->size - sizeof(*header);

	*record = (struct perf_ring_record){ .type = header->type };
	if (header->type == PERF_RECORD_SAMPLE)
		return parse_sample(body, size, record);
	if (size < TRAILER_SIZE)
		return -EINVAL;
	size -= TRAILER_SIZE;
	record->time_ns = read_u64(body + size);
	record->cpu = read_u32(body + size + 8);
	switch (header->type) {
	case PERF_RECORD_COMM:	/* pid, tid, comm */
		if (size < 9 || !memchr(body + 8, 0, size - 8))
			return -EINVAL;
		record->pid = read_u32(body);
		record->tid = read_u32(body + 4);
		record->comm = (const char *)body + 8;
		return 0;
	case PERF_RECORD_FORK:	/* pid, ppid, tid, ptid, time */
	case PERF_RECORD_EXIT:
		if (size < 24)
			return -EINVAL;
		record->pid = read_u32(body);
		record->tid = read_u32(body + 8);
		record->ptid = read_u32(body + 12);
		return 0;
	case PERF_RECORD_LOST:	/* id, lost */
		if (size < 16)
			return -EINVAL;
		record->lost = read_u64(body + 8);
		return 0;
	default:
		return 0;
	}
}
