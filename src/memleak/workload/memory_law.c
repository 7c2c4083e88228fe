/* SPDX-License-Identifier: BSD-2-Clause */
/* A workload of the law (law_workload.h) with an allocator of its own, so that the tool sees these calls and no others. */
#include <stdlib.h>
#include <string.h>

#include "law_workload.h"

#define ROOM (1 << 20)
#define PART __attribute__((noinline, noclone, used))

static _Alignas(16) char room[ROOM];
static size_t used;

PART void *malloc(size_t bytes)
{
	size_t at = used;

	bytes = (bytes + 15) & ~(size_t)15;
	if (bytes > ROOM - used)
		return NULL;
	used += bytes;
	return room + at;
}

PART void free(void *at)
{
	__asm__ volatile("" : : "r"(at) : "memory");
}

PART void *calloc(size_t count, size_t bytes)
{
	void *at = bytes && count > ROOM / bytes ? NULL : malloc(count * bytes);

	return at ? memset(at, 0, count * bytes) : NULL;
}

PART void *realloc(void *before, size_t bytes)
{
	void *at = malloc(bytes);
	size_t most = before ? (size_t)(room + ROOM - (char *)before) : 0;

	return at && before ? memcpy(at, before, bytes < most ? bytes : most) : at;
}

/* An allocation of 32 bytes; each second one is freed. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	void *volatile at = malloc(32);

	(void)writer;
	(void)fail;
	if (!at)
		law_die("malloc");
	if (index % 2)
		free(at);
	return false;
}
