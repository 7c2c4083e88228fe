/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes pages of a ring buffer, as kernel/trace/ring_buffer.c lays them out. */
#ifndef FTRACE_PAGES_H
#define FTRACE_PAGES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct made_page {
	uint8_t bytes[4096];
	size_t used;		/* with the header */
};

static inline void made_page__put(struct made_page *page, const void *value, size_t size)
{
	memcpy(page->bytes + page->used, value, size);
	page->used += size;
}

static inline void made_page__word(struct made_page *page, uint32_t kind, uint32_t delta)
{
	uint32_t word = kind | delta << 5;

	made_page__put(page, &word, sizeof(word));
}

static inline struct made_page made_page__of(uint64_t time)
{
	struct made_page page = { .used = 16 };

	memcpy(page.bytes, &time, sizeof(time));
	return page;
}

/* A record whose data is size bytes, a multiple of 4, and begins with its type. */
static inline void made_page__record(struct made_page *page, uint32_t delta, uint32_t size, uint16_t type)
{
	uint32_t length = size + 4;

	made_page__word(page, size <= 28 * 4 ? size / 4 : 0, delta);
	if (size > 28 * 4)
		made_page__put(page, &length, sizeof(length));
	memset(page->bytes + page->used, 0x5a, size);
	memcpy(page->bytes + page->used, &type, sizeof(type));
	page->used += size;
}

static inline void made_page__extend(struct made_page *page, uint64_t delta)
{
	uint32_t upper = (uint32_t)(delta >> 27);

	made_page__word(page, 30, delta & ((1u << 27) - 1));
	made_page__put(page, &upper, sizeof(upper));
}

static inline void made_page__stamp(struct made_page *page, uint64_t time)
{
	uint32_t upper = (uint32_t)(time >> 27);

	made_page__word(page, 31, time & ((1u << 27) - 1));
	made_page__put(page, &upper, sizeof(upper));
}

/* A record of size bytes, its first word included, that was given back; delta is not 0. */
static inline void made_page__padding(struct made_page *page, uint32_t delta, uint32_t size)
{
	uint32_t length = size - 4;

	made_page__word(page, 29, delta);
	made_page__put(page, &length, sizeof(length));
	page->used += size - 8;
}

/* The rest of the page is not used. */
static inline void made_page__rest(struct made_page *page)
{
	made_page__word(page, 29, 0);
}

/* Writes the length; with the flag, and the number unless it is 0, of records that were overwritten before.  The page's size. */
static inline size_t made_page__end(struct made_page *page, bool lost_some, uint64_t lost)
{
	uint64_t commit = page->used - 16;

	if (lost_some)
		commit |= 1u << 31;
	if (lost) {
		commit |= 1u << 30;
		memcpy(page->bytes + page->used, &lost, sizeof(lost));
	}
	memcpy(page->bytes + 8, &commit, sizeof(commit));
	return sizeof(page->bytes);
}

#endif
