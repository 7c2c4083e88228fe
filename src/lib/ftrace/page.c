/* SPDX-License-Identifier: BSD-2-Clause */
#include "page.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/*
 * The commit word: RB_WRITE_MASK, RB_MISSED_EVENTS and RB_MISSED_STORED (kernel/trace/ring_buffer.c, the same on 5.10 to 7.3).
 * The number of lost records stands behind the data where there was room for it.
 */
#define DATA_MASK 0xfffffu
#define LOST_SOME (1u << 31)
#define LOST_STORED (1u << 30)

/* type_len of a record's first word; 1 to PAGE_SHORT_MAX is the length of the data in words. */
enum {
	LENGTH_FOLLOWS = 0,
	PADDING = 29,
	TIME_EXTEND = 30,
	TIME_STAMP = 31,
};

#define RECORD_ARGS_MIN 6	/* of calls: no kernel with 64 bits puts fewer into a record that has them */

#define DELTA_BITS 27
#define STAMP_BITS 59	/* of an absolute time: its upper bits are the page's */

/* "	field: local_t commit;	offset:8;	size:8;	signed:1;" */
static int read_field(const char *text, const char *name, uint32_t *offset, uint32_t *size)
{
	char wanted[32];
	const char *at;

	snprintf(wanted, sizeof(wanted), " %s;\toffset:", name);
	at = strstr(text, wanted);
	if (!at || sscanf(at + strlen(wanted), "%u;\tsize:%u;", offset, size) != 2 || *offset > FTRACE_PAGE_MAX ||
	    *size > FTRACE_PAGE_MAX)
		return -EINVAL;
	return 0;
}

int page_layout__parse(struct page_layout *layout, const char *text, size_t length)
{
	uint32_t timestamp_size, data_size;
	char copy[1024];

	if (length >= sizeof(copy))
		return -EINVAL;
	memcpy(copy, text, length);
	copy[length] = '\0';
	if (read_field(copy, "timestamp", &layout->timestamp, &timestamp_size) ||
	    read_field(copy, "commit", &layout->commit, &layout->commit_size) ||
	    read_field(copy, "data", &layout->data, &data_size))
		return -EINVAL;
	layout->size = layout->data + data_size;
	if (timestamp_size != 8 || (layout->commit_size != 8 && layout->commit_size != 4) || layout->size > FTRACE_PAGE_MAX ||
	    layout->timestamp + 8 > layout->data || layout->commit + layout->commit_size > layout->data || data_size < 16)
		return -EINVAL;
	return 0;
}

int page__open(struct page *page, const struct page_layout *layout, const void *bytes, size_t size)
{
	const uint8_t *start = bytes;
	uint32_t commit, length;

	*page = (struct page){ .at = NULL };
	if (size < layout->data)
		return -EINVAL;
	page->time = read_u64(start + layout->timestamp);
	/* x86-64 and arm64 are little-endian: the flags are in the first half */
	commit = read_u32(start + layout->commit);
	length = commit & DATA_MASK;
	if (length > size - layout->data)
		return -EINVAL;
	page->at = start + layout->data;
	page->end = page->at + length;
	page->lost_some = commit & LOST_SOME;
	if (page->lost_some && commit & LOST_STORED && size - layout->data - length >= 8)
		page->lost = read_u64(page->end);
	return 0;
}

/* The first size bytes of what is left are there. */
static bool has(const struct page *page, uint64_t size)
{
	return size <= (uint64_t)(page->end - page->at);
}

int page__next(struct page *page, struct page_record *record)
{
	while (page->at < page->end) {
		uint32_t word, kind, delta, length;

		if (page__next_short(page, record))
			return 1;
		if (!has(page, 4))
			goto broken;
		word = read_u32(page->at);
		kind = word & ((1u << PAGE_TYPE_BITS) - 1);
		delta = word >> PAGE_TYPE_BITS;
		if (kind == PADDING && !delta)
			break;		/* the rest of the page */
		/* all others have a second word; of a short record not all bytes are there */
		if ((kind != LENGTH_FOLLOWS && kind <= PAGE_SHORT_MAX) || !has(page, 8))
			goto broken;
		length = read_u32(page->at + 4);
		switch (kind) {
		case PADDING:	/* a record that was given back: its bytes, without the first word */
			if (!has(page, 4 + (uint64_t)length))
				goto broken;
			page->time += delta;
			page->at += 4 + (uint64_t)length;
			continue;
		case TIME_EXTEND:
			page->time += ((uint64_t)length << DELTA_BITS) + delta;
			page->at += 8;
			continue;
		case TIME_STAMP:
			page->time = (page->time & ~((1ull << STAMP_BITS) - 1)) | (uint64_t)length << DELTA_BITS | delta;
			page->at += 8;
			continue;
		default:	/* LENGTH_FOLLOWS; it counts its own four bytes */
			if (length < 4 || !has(page, 4 + (uint64_t)length))
				goto broken;
			record->data = page->at + 8;
			record->size = length - 4;
			page->at += 4 + (uint64_t)length;
		}
		page->time += delta;
		record->time = page->time;
		record->type = 0;
		if (record->size >= sizeof(record->type))
			memcpy(&record->type, record->data, sizeof(record->type));
		return 1;
	}
	page->at = page->end;
	return 0;
broken:
	page->at = page->end;
	return -EINVAL;
}

size_t page_record__args(const struct page_record *record, uint32_t offset, uint64_t args[CALL_ARGS])
{
	size_t count = record->size > offset ? (record->size - offset) / sizeof(*args) : 0;

	/* a record without them may be a few bytes longer than its fields */
	if (count < RECORD_ARGS_MIN)
		return 0;
	if (count > CALL_ARGS)
		count = CALL_ARGS;
	memcpy(args, record->data + offset, count * sizeof(*args));
	return count;
}
