/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer target: lib/ftrace/graph_record on any bytes, and lib/ftrace/call_trees on any order of records. */
#include "lib/ftrace/call_trees.h"

#include "fuzz.h"

#define ROOM 32

/* As of 7.3; the other kernels' fields are in other places. */
static const struct graph_layout layout = {
	.entry = { .type = 11, .size_min = 24, .args = 24, .function = { 8, 8 }, .depth = { 16, 8 } },
	.exit_type = 10, .exit_size_min = 40,
	.function = { 8, 8 }, .depth = { 16, 4 }, .overrun = { 20, 4 }, .begin = { 24, 8 }, .end = { 32, 8 },
};

static struct call_trees trees;
static uint64_t shown, halves;
static struct graph_record held;	/* an entry that waits for the next record; without kind: none */

/* Adds a record; calls that call nothing as a whole, as the reader does. */
static void add(const struct graph_record *record)
{
	if (held.kind && record->kind == GRAPH_EXIT && call_trees__is_leaf(&held, record)) {
		REQUIRE(!call_trees__add_leaf(&trees, &held, record));
		held.kind = GRAPH_OTHER;
		return;
	}
	REQUIRE(!call_trees__add(&trees, &held));
	held = *record;
	if (record->kind == GRAPH_ENTRY)
		return;
	REQUIRE(!call_trees__add(&trees, record));
	held.kind = GRAPH_OTHER;
}

/* All calls of a tree are in it once, each below its first, and each missing record is told. */
static void take(void *ctx, const struct call_tree *tree)
{
	uint32_t depths[CALL_LEVELS_MAX], levels = 0, count = 0, level;

	(void)ctx;
	for (const struct call *call = call_trees__at(&trees, tree->first); call; call = call_trees__at(&trees, call->next)) {
		level = call_trees__level(depths, &levels, call);
		REQUIRE(level <= count);
		count++;
		REQUIRE(count <= ROOM);
		REQUIRE(call->depth >= tree->depth);
		halves += !!(call->flags & CALL_NO_ENTRY) + !!(call->flags & CALL_NO_EXIT);
	}
	REQUIRE(count == tree->count);
	shown += count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct graph_record record;
	uint64_t entries = 0, exits = 0, time = 1;
	uint32_t left = 0;

	shown = halves = 0;
	trees.take = take;
	REQUIRE(!call_trees__open(&trees, ROOM, false, false));
	/* a record: its size, then so many bytes */
	while (size > 1) {
		size_t length = data[0] % 80 < size - 1 ? data[0] % 80 : size - 1;
		uint8_t *copy = fuzz_copy(data + 1, length);
		struct page_record from = { .time = time++, .data = copy, .size = (uint32_t)length };

		if (length >= 2)
			from.type = (uint16_t)(10 + (copy[0] & 1));
		graph_record__decode(&layout, &from, &record);
		/* few tasks, functions and depths, so that they meet */
		record.tid &= 3;
		record.function &= 3;
		record.depth &= data[0] & 0x80 ? UINT32_MAX : 7;
		entries += record.kind == GRAPH_ENTRY;
		exits += record.kind == GRAPH_EXIT;
		record.cpu = data[0] & 1;
		record.lost_some = data[0] & 2;
		record.lost = length;
		trees.losses += record.lost_some;
		/* a record of nothing: one of the tasks is gone */
		if (!length) {
			REQUIRE(!call_trees__add(&trees, &held));
			held.kind = GRAPH_OTHER;
			call_trees__end_task(&trees, data[0] / 80, data[0] & 2 ? 1 : UINT32_MAX);
		}
		add(&record);
		free(copy);
		data += length + 1;
		size -= length + 1;
	}
	REQUIRE(!call_trees__add(&trees, &held));
	held.kind = GRAPH_OTHER;
	call_trees__end(&trees);
	REQUIRE(halves == trees.halves);
	REQUIRE(shown <= entries + exits && 2 * shown >= halves);
	for (uint32_t at = trees.free; at != CALL_NONE; at = trees.calls[at].next)
		REQUIRE(++left <= ROOM);
	REQUIRE(left == ROOM);
	call_trees__close(&trees);
	return 0;
}
