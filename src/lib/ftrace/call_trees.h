/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Puts the records of function_graph together again: the tree of the calls below each call that begins while none of its task is under way.
 * Each task has its own tree, each CPU's idle task too; an interrupt's calls are in the tree of the task that it interrupted.
 *
 * Records may be missing where the ring buffer was overwritten.  A call of which one record is there has its place in the tree, and says
 * which one is missing.  It takes any records in any order: what does not fit together is a call with one record.
 */
#ifndef PROBELIGHT_FTRACE_CALL_TREES_H
#define PROBELIGHT_FTRACE_CALL_TREES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "graph_record.h"
#include "lib/kernel/hash.h"

#define CALL_NONE UINT32_MAX

enum {
	CALL_NO_ENTRY = 1,	/* its begin was lost; begin_ns is that of what came next */
	CALL_NO_EXIT = 2,	/* its return was lost, or was never recorded */
	CALL_RUNS = 4,		/* it had not returned at the end */
	CALL_LOST_BEFORE = 8,	/* records of its CPU were lost just before it began ... */
	CALL_LOST_INSIDE = 16,	/* ... or while it ran; the number is in lost */
	CALL_HAS_RESULT = 32,	/* its return tells what it returned */
	CALL_TASK_ENDED = 64,	/* its task ended in it: it never returned */
	CALL_HAS_CPU_TIME = 128,	/* it is known how long it had a CPU */
};

struct call {
	uint64_t function;	/* its address, or a few bytes behind it */
	uint64_t begin_ns;	/* CLOCK_MONOTONIC */
	uint64_t ns;		/* how long it took; not known with CALL_NO_EXIT, CALL_RUNS and CALL_TASK_ENDED */
	uint64_t result;	/* of CALL_HAS_RESULT, which call_trees__add_leaf() does not take from its records */
	uint32_t next;		/* in the order in which they began, or CALL_NONE; as of call_trees__at() */
	uint32_t outer;		/* call_trees.c's: the call that it is inside of; once it has returned, the last one inside of it */
	uint32_t depth;		/* as the records have it: more than that of the call around it, not always by one */
	uint32_t lost;		/* records; 0 with CALL_LOST_...: the kernel does not say how many */
	uint32_t cpu;		/* where it began */
	uint8_t flags;
	uint8_t context;	/* enum graph_context */
	uint8_t args_count;
	uint16_t state;		/* when it began, or, with CALL_NO_ENTRY, returned: record_state.h; of programs' events 0 */
};

/* How long a call had a CPU, with CALL_HAS_CPU_TIME; before it returns, how long its task had none when it began. */
struct call_cpu {
	uint64_t ns;
	uint64_t losses;		/* as of the record of its begin */
};

struct call_tree {
	uint32_t tid;			/* 0: the idle task of cpu */
	uint32_t cpu;
	uint32_t first, last;		/* calls, as of call_trees__at() */
	uint32_t open;			/* the innermost one that has not returned */
	uint32_t depth;			/* of the outermost call */
	uint32_t count;
	uint64_t losses;		/* as of struct call_trees, when it began */
	uint64_t no_room;		/* calls that found no room, and are not in it */
	bool is_full;
};

struct call_trees {
	struct call *calls;
	uint64_t (*args)[CALL_ARGS];	/* of each call; NULL: they are not kept */
	struct call_cpu *cpu;			/* the same, how long calls had a CPU; NULL: nobody asks */
	uint32_t room, free;			/* of calls; the first free one, or CALL_NONE */
	uint32_t linked;			/* calls that are in a tree or linked as free; those behind them were never used */
	struct hash table;			/* struct call_tree by call_trees__key() */
	uint64_t losses;			/* the caller's: how often records were lost */
	uint64_t halves;			/* calls of which one of two records was lost, in all trees that were given */
	/* Takes a tree, which is valid until it returns. */
	void (*take)(void *ctx, const struct call_tree *tree);
	void *ctx;
};

/*
 * Room for so many calls in trees that are not complete, with their arguments or without, and with the time that they had a CPU or without:
 * then records must tell off_ns and off_losses.  0 or -ENOMEM.
 */
int call_trees__open(struct call_trees *trees, uint32_t room, bool with_args, bool with_cpu_time);
void call_trees__close(struct call_trees *trees);

/* The key of a task: of a thread's number, or of a CPU's idle task, all of which have the number 0. */
static inline uint64_t call_trees__key(uint32_t tid, uint32_t cpu)
{
	return tid ? tid : 1ull << 32 | cpu;
}

/* call_trees__add() of a record that is known to be of this kind. */
int call_trees__add_entry(struct call_trees *trees, const struct graph_record *record);
int call_trees__add_exit(struct call_trees *trees, const struct graph_record *record);

/* Adds a record.  A tree that it completes goes to take().  0, or -ENOMEM where there is no memory for another task. */
static inline int call_trees__add(struct call_trees *trees, const struct graph_record *record)
{
	if (record->kind == GRAPH_EXIT)
		return call_trees__add_exit(trees, record);
	return record->kind == GRAPH_ENTRY ? call_trees__add_entry(trees, record) : 0;
}

/* Whether two records in sequence are those of a call that calls nothing. */
static inline bool call_trees__is_leaf(const struct graph_record *entry, const struct graph_record *exit)
{
	return entry->tid == exit->tid && entry->depth == exit->depth && entry->function == exit->function && !exit->lost_some &&
	       /* all CPUs' idle tasks have the number 0 */
	       (entry->tid || entry->cpu == exit->cpu);
}

/* The same as adding these two records; most calls are such ones, and this takes a third of the instructions. */
int call_trees__add_leaf(struct call_trees *trees, const struct graph_record *entry, const struct graph_record *exit);

/*
 * A task is gone: gives its tree to take(), if it has one.  Its calls at `depth` and below had returned, if the caller knows (else
 * UINT32_MAX); the others never return, unless records were lost since the tree began, which may have been of their returns.
 */
void call_trees__end_task(struct call_trees *trees, uint32_t tid, uint32_t depth);

/* Gives the trees that are not complete to take(): nothing comes any more. */
void call_trees__end(struct call_trees *trees);

static inline const struct call *call_trees__at(const struct call_trees *trees, uint32_t index)
{
	return index == CALL_NONE ? NULL : &trees->calls[index];
}

/*
 * How many calls of its tree a call is inside of.  To be asked of all calls of a tree in their order; *levels is 0 before the first, and
 * depths needs not be set.
 */
#define CALL_LEVELS_MAX 1024
static inline uint32_t call_trees__level(uint32_t depths[CALL_LEVELS_MAX], uint32_t *levels, const struct call *call)
{
	while (*levels && depths[*levels - 1] >= call->depth)
		(*levels)--;
	if (*levels < CALL_LEVELS_MAX)
		depths[(*levels)++] = call->depth;
	return *levels - 1;
}

#endif
