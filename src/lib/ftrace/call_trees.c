/* SPDX-License-Identifier: BSD-2-Clause */
#include "call_trees.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Calls are linked when they are first needed: a link touches its page, and memory that was never touched is not resident. */
#define LINKED_AT_ONCE 64

/* Links the next calls as free, where none is. */
static __attribute__((noinline)) void link_calls(struct call_trees *trees)
{
	uint32_t end = trees->room - trees->linked < LINKED_AT_ONCE ? trees->room : trees->linked + LINKED_AT_ONCE;

	for (uint32_t i = end; i > trees->linked; i--) {
		trees->calls[i - 1].next = trees->free;
		trees->free = i - 1;
	}
	trees->linked = end;
}

/*
 * After a call was inserted: one is free again, as long as there is room.  A record inserts one call at most, and a leaf gives its call
 * back: to ask there, too, would be 6 instructions a leaf.
 */
static inline void keep_one_free(struct call_trees *trees)
{
	if (trees->free == CALL_NONE)
		link_calls(trees);
}

#define TASKS_MAX (1 << 16)	/* with a tree that is not complete */

static void on_evicted(void *ctx, uint64_t key, void *tree);

int call_trees__open(struct call_trees *trees, uint32_t room, bool with_args, bool with_cpu_time)
{
	trees->calls = calloc(room, sizeof(*trees->calls));
	trees->args = with_args ? calloc(room, sizeof(*trees->args)) : NULL;
	trees->cpu = with_cpu_time ? calloc(room, sizeof(*trees->cpu)) : NULL;
	trees->room = room;
	trees->linked = 0;
	trees->free = CALL_NONE;
	trees->halves = trees->losses = 0;
	trees->table = (struct hash){ .value_size = sizeof(struct call_tree), .bound = TASKS_MAX, .evicted = on_evicted, .ctx = trees };
	if (!trees->calls || (with_args && !trees->args) || (with_cpu_time && !trees->cpu)) {
		call_trees__close(trees);
		return -ENOMEM;
	}
	link_calls(trees);
	return 0;
}

void call_trees__close(struct call_trees *trees)
{
	trees->table.evicted = NULL;
	hash__free(&trees->table);
	free(trees->calls);
	free(trees->args);
	free(trees->cpu);
	trees->calls = NULL;
	trees->args = NULL;
	trees->cpu = NULL;
	trees->room = trees->linked = 0;
	trees->free = CALL_NONE;
}

/* The tree of a record's task; NULL: it has none. */
static inline struct call_tree *find(const struct call_trees *trees, const struct graph_record *record)
{
	return hash__find(&trees->table, call_trees__key(record->tid, record->cpu));
}

/* Gives a tree away; its calls are free then. */
static void hand_over(struct call_trees *trees, struct call_tree *tree)
{
	if (tree->count || tree->no_room)
		trees->take(trees->ctx, tree);
	if (tree->last != CALL_NONE) {
		trees->calls[tree->last].next = trees->free;
		trees->free = tree->first;
	}
}

/* The same, and forgets it. */
static void give(struct call_trees *trees, struct call_tree *tree)
{
	hand_over(trees, tree);
	hash__remove(&trees->table, call_trees__key(tree->tid, tree->cpu));
}

/* The innermost call has returned. */
static inline void close_open(struct call_tree *tree, struct call *call)
{
	tree->open = call->outer;
	call->outer = tree->last;
}

static __attribute__((noinline)) void close_some(struct call_trees *trees, struct call_tree *tree, uint32_t depth)
{
	while (tree->open != CALL_NONE && trees->calls[tree->open].depth >= depth) {
		struct call *call = &trees->calls[tree->open];

		call->flags |= CALL_NO_EXIT;
		trees->halves++;
		close_open(tree, call);
	}
}

/* Closes the calls that are at least so deep: their returns are not in the records.  Most often there is none. */
static inline void close_from(struct call_trees *trees, struct call_tree *tree, uint32_t depth)
{
	if (tree->open != CALL_NONE && trees->calls[tree->open].depth >= depth)
		close_some(trees, tree, depth);
}

/* More tasks have a tree than there is room for. */
static void on_evicted(void *ctx, uint64_t key, void *tree)
{
	(void)key;
	close_from(ctx, tree, 0);
	hand_over(ctx, tree);
}

/* A new one for a task that has none; NULL without memory. */
static struct call_tree *new_tree(struct call_trees *trees, const struct graph_record *record)
{
	struct call_tree *tree = hash__add(&trees->table, call_trees__key(record->tid, record->cpu));

	if (tree)
		*tree = (struct call_tree){
			.tid = record->tid, .cpu = record->cpu, .depth = record->depth, .losses = trees->losses,
			.first = CALL_NONE, .last = CALL_NONE, .open = CALL_NONE,
		};
	return tree;
}

/* A new call behind another one (CALL_NONE: the first); NULL where there is no room. */
static inline struct call *insert(struct call_trees *trees, struct call_tree *tree, uint32_t behind, const struct graph_record *record,
				  uint64_t begin_ns)
{
	uint32_t index = trees->free;
	struct call *call;

	if (index == CALL_NONE || tree->is_full) {
		/* what is inside of it has no room either: a tree has no holes */
		tree->is_full = true;
		tree->no_room++;
		return NULL;
	}
	call = &trees->calls[index];
	trees->free = call->next;
	*call = (struct call){
		.function = record->function, .begin_ns = begin_ns, .cpu = record->cpu, .depth = record->depth, .outer = tree->open,
		.context = (uint8_t)record->context, .state = record->state,
		.next = behind == CALL_NONE ? tree->first : trees->calls[behind].next,
	};
	if (behind == CALL_NONE)
		tree->first = index;
	else
		trees->calls[behind].next = index;
	if (tree->last == behind)
		tree->last = index;
	tree->count++;
	return call;
}

static inline void mark_lost(struct call *call, uint8_t flag, const struct graph_record *record)
{
	if (!record->lost_some)
		return;
	call->flags |= flag;
	call->lost = call->lost + record->lost < UINT32_MAX ? (uint32_t)(call->lost + record->lost) : UINT32_MAX;
}

/*
 * A return without its begin: the call goes before the calls that it had inside, which are the deeper ones behind the last call that is
 * beside it.  The call around it, tree->open, is not as deep as it.
 */
static struct call *insert_return(struct call_trees *trees, struct call_tree *tree, const struct graph_record *record)
{
	uint32_t behind = tree->open, at = behind == CALL_NONE ? tree->first : trees->calls[behind].next;
	struct call *call;

	while (at != CALL_NONE) {
		if (trees->calls[at].depth <= record->depth)
			at = behind = trees->calls[at].outer;
		at = trees->calls[at].next;
	}
	call = insert(trees, tree, behind, record, record->time_ns - (record->ns < record->time_ns ? record->ns : record->time_ns));
	if (call) {
		keep_one_free(trees);
		call->flags |= CALL_NO_ENTRY;
		call->outer = tree->last;
		trees->halves++;
	}
	return call;
}

static inline void keep_args(struct call_trees *trees, struct call *call, const struct graph_record *record)
{
	if (trees->args && record->args_count) {
		memcpy(trees->args[call - trees->calls], record->args, sizeof(*trees->args));
		call->args_count = (uint8_t)record->args_count;
	}
}

/* A call begins. */
static inline void begin_cpu_time(struct call_trees *trees, const struct call *call, const struct graph_record *entry)
{
	if (trees->cpu)
		trees->cpu[call - trees->calls] = (struct call_cpu){ entry->off_ns, entry->off_losses };
}

/*
 * It returns.  What its task had no CPU for is by the clock of the records; the call's own time is by another clock of the kernel's, which
 * may run at another rate.
 */
static inline void end_cpu_time(struct call_trees *trees, struct call *call, const struct graph_record *exit)
{
	struct call_cpu *cpu = trees->cpu ? &trees->cpu[call - trees->calls] : NULL;
	uint64_t off_ns, ns;

	if (!cpu || call->flags & CALL_NO_ENTRY || cpu->losses != exit->off_losses)
		return;
	off_ns = exit->off_ns - cpu->ns;
	ns = exit->time_ns - call->begin_ns;
	ns = ns > off_ns ? ns - off_ns : 0;
	cpu->ns = off_ns && ns < call->ns ? ns : call->ns;
	call->flags |= CALL_HAS_CPU_TIME;
}

int call_trees__add_entry(struct call_trees *trees, const struct graph_record *record)
{
	struct call_tree *tree = find(trees, record);
	struct call *call;

	if (tree && tree->depth >= record->depth) {
		/* the outermost one must have returned */
		close_from(trees, tree, 0);
		give(trees, tree);
		tree = NULL;
	}
	if (!tree)
		tree = new_tree(trees, record);
	if (!tree)
		return -ENOMEM;
	close_from(trees, tree, record->depth);
	call = insert(trees, tree, tree->last, record, record->time_ns);
	if (!call)
		return 0;
	keep_one_free(trees);
	/* it was put at the end */
	tree->open = tree->last;
	mark_lost(call, CALL_LOST_BEFORE, record);
	keep_args(trees, call, record);
	begin_cpu_time(trees, call, record);
	return 0;
}

/* Whether a record tells that the innermost call has returned. */
static inline bool is_return_of(const struct call *call, const struct graph_record *record)
{
	return call->depth == record->depth && call->function == record->function;
}

/*
 * The call that returns where it is not the innermost one: returns or its begin are missing.  NULL: it found no room, and was counted when
 * it began.
 */
static __attribute__((noinline)) struct call *find_returning(struct call_trees *trees, struct call_tree *tree,
							     const struct graph_record *record)
{
	if (record->depth < tree->depth)
		tree->depth = record->depth;
	close_from(trees, tree, record->depth + 1);
	if (tree->open != CALL_NONE && is_return_of(&trees->calls[tree->open], record)) {
		struct call *call = &trees->calls[tree->open];

		close_open(tree, call);
		return call;
	}
	if (tree->is_full)
		return NULL;
	close_from(trees, tree, record->depth);
	return insert_return(trees, tree, record);
}

int call_trees__add_exit(struct call_trees *trees, const struct graph_record *record)
{
	struct call_tree *tree = find(trees, record);
	struct call *call;

	if (!tree)
		tree = new_tree(trees, record);
	if (!tree)
		return -ENOMEM;
	call = tree->open == CALL_NONE ? NULL : &trees->calls[tree->open];
	if (call && is_return_of(call, record))
		close_open(tree, call);
	else
		call = find_returning(trees, tree, record);
	if (call) {
		call->ns = record->ns;
		call->result = record->result;
		call->flags |= record->has_result ? CALL_HAS_RESULT : 0;
		mark_lost(call, CALL_LOST_INSIDE, record);
		end_cpu_time(trees, call, record);
	}
	if (record->depth == tree->depth) {
		close_from(trees, tree, 0);
		give(trees, tree);
	}
	return 0;
}

/* A tree of one call that is complete: it needs no place among the others. */
static void give_leaf(struct call_trees *trees, const struct graph_record *entry, const struct graph_record *exit)
{
	struct call_tree tree = { .tid = entry->tid, .cpu = entry->cpu, .first = CALL_NONE, .last = CALL_NONE,
				  .open = CALL_NONE, .depth = entry->depth };
	struct call *call = insert(trees, &tree, CALL_NONE, entry, entry->time_ns);

	if (call) {
		call->ns = exit->ns;
		mark_lost(call, CALL_LOST_BEFORE, entry);
		keep_args(trees, call, entry);
		begin_cpu_time(trees, call, entry);
		end_cpu_time(trees, call, exit);
	}
	trees->take(trees->ctx, &tree);
	if (call) {
		call->next = trees->free;
		trees->free = tree.first;
	}
}

int call_trees__add_leaf(struct call_trees *trees, const struct graph_record *entry, const struct graph_record *exit)
{
	int err;

	if (!find(trees, entry)) {
		give_leaf(trees, entry, exit);
		return 0;
	}
	err = call_trees__add_entry(trees, entry);
	return err ? err : call_trees__add_exit(trees, exit);
}

/* Gives a tree away whose open calls have not returned, and forgets it. */
static void give_open(struct call_trees *trees, struct call_tree *tree, uint8_t flag)
{
	for (uint32_t at = tree->open; at != CALL_NONE; at = trees->calls[at].outer)
		trees->calls[at].flags |= flag;
	give(trees, tree);
}

void call_trees__end_task(struct call_trees *trees, uint32_t tid, uint32_t depth)
{
	struct call_tree *tree = tid ? hash__find(&trees->table, call_trees__key(tid, 0)) : NULL;

	if (!tree)
		return;
	close_from(trees, tree, tree->losses == trees->losses ? depth : 0);
	give_open(trees, tree, CALL_TASK_ENDED);
}

void call_trees__end(struct call_trees *trees)
{
	struct call_tree *tree;
	uint64_t key;

	for (size_t at = 0; (tree = hash__next(&trees->table, &at, &key)); at--)
		give_open(trees, tree, CALL_RUNS);
}
