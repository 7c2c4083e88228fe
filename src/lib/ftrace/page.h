/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Walks one page of a ring buffer as trace_pipe_raw gives it: a header, then records with their times
 * (kernel/trace/ring_buffer.c, include/linux/ring_buffer.h).  Where the header's fields are is read from the running kernel's
 * events/header_page.  The bytes are not believed: whatever they hold, nothing outside of them is read, and the walk ends.
 * It does no I/O.
 */
#ifndef PROBELIGHT_FTRACE_PAGE_H
#define PROBELIGHT_FTRACE_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/kernel/unaligned.h"
#include "lib/shared/call_args.h"

/* Bytes; sub-buffers may be larger than a page since 6.8 (buffer_subbuf_size_kb, at most 64 KB of it here). */
#define FTRACE_PAGE_MAX (64 * 1024)

struct page_layout {
	uint32_t timestamp;	/* offset of the page's time, 8 bytes */
	uint32_t commit;	/* offset of how many bytes of data there are, with flags above */
	uint32_t commit_size;	/* bytes: 8, or 4 on 32-bit kernels */
	uint32_t data;		/* offset of the data */
	uint32_t size;		/* of a whole page: what one read(2) gives */
};

/* Reads events/header_page, length bytes of text.  0 or -EINVAL. */
int page_layout__parse(struct page_layout *layout, const char *text, size_t length);

struct page {
	const uint8_t *at, *end;	/* of what is still to be walked */
	uint64_t time;			/* of the last record; before the first one, the page's */
	bool lost_some;			/* records were overwritten between the page that was read before and this one */
	uint64_t lost;			/* how many; 0 where the kernel does not tell */
};

struct page_record {
	uint64_t time;		/* of the buffer's trace_clock */
	const uint8_t *data;	/* aligned to 4 bytes only, in the page */
	uint32_t size;		/* bytes; may be a few more than the record has fields */
	uint16_t type;		/* the id in the event's format file; 0 where the record has no room for one */
};

/* Begins with size bytes that read(2) gave.  0 or -EINVAL. */
int page__open(struct page *page, const struct page_layout *layout, const void *bytes, size_t size);

/* A record's first word: what it is, and how long after the one before it was made. */
#define PAGE_TYPE_BITS 5
/* Kinds of records (enum ring_buffer_type); 1 up to this one are records with so many words of data. */
#define PAGE_SHORT_MAX 28

/*
 * page__next() for the next record if it is a short one whose bytes are all there; false where it is anything else, and nothing has changed
 * then.  Nearly all records are short, and a call for each would cost as much as this does.
 */
static inline bool page__next_short(struct page *page, struct page_record *record)
{
	size_t left = (size_t)(page->end - page->at);
	uint32_t word, words;

	if (left < sizeof(word))
		return false;
	word = read_u32(page->at);
	words = word & ((1u << PAGE_TYPE_BITS) - 1);
	if (words - 1 >= PAGE_SHORT_MAX || left < sizeof(word) * (1 + (size_t)words))
		return false;
	page->time += word >> PAGE_TYPE_BITS;
	record->time = page->time;
	record->data = page->at + sizeof(word);
	record->size = words * (uint32_t)sizeof(word);
	memcpy(&record->type, record->data, sizeof(record->type));
	page->at = record->data + record->size;
	return true;
}

/* The next record: 1, 0 at the end, or -EINVAL where the bytes are no record; the walk ends there. */
int page__next(struct page *page, struct page_record *record);

/*
 * Copies the arguments of a call that a record has at that offset, and behind them nothing.  How many: as many as the kernel puts into
 * each record (FTRACE_REGS_MAX_ARGS of include/linux/ftrace_regs.h, 6 unless the architecture has another number), CALL_ARGS at most; 0:
 * it has none.
 */
size_t page_record__args(const struct page_record *record, uint32_t offset, uint64_t args[CALL_ARGS]);

#endif
