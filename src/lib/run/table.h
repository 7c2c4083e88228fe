/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table that programs count in by key (table.bpf.h).  An interval is cut by putting the other one of two hashes into the slot
 * that the programs look into.  When that system call returns no program uses the first one any more: the kernel waits for an
 * RCU grace period (maybe_wait_bpf_programs() in kernel/bpf/syscall.c, 5.10 … 7.3).  It is then read, and emptied, at leisure.
 * Reading a table that is in use and deleting its keys, which is what one does without a second one, loses what is added in
 * between: 4,795 of 1.74 million events on 6.1.
 *
 * The wait takes some 10 ms on hardware, so an interval of a tool with a table is a little longer than asked for, and says so.  What is
 * counted when the programs are detached needs no cut: a run without intervals has one hash.
 */
#ifndef PROBELIGHT_TABLE_H
#define PROBELIGHT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/libbpf.h>

struct table {
	int slot_fd;			/* of the array of maps; -1: there is no table */
	int fds[2];			/* of the hashes; the second is -1 where there are no intervals */
	int current;			/* which of them programs use */
	int template_fd;		/* between preparing and opening, what the array of maps is made after; -1: nothing */
	size_t key_size, value_size;	/* bytes */
	uint32_t keys_max;
	/*
	 * Key by key, at some 6,000 instructions a key, on kernels that preempt programs, and on real-time kernels.  A batch goes
	 * through all buckets with programs disabled on its CPU (bpf_disable_instrumentation()), and events of other tasks that run there
	 * meanwhile are missed: some 1,360 at a cut of a table of --count (7.3).
	 */
	bool is_read_by_key;

	/* The rows of the last interval: count keys, and as many values. */
	char *keys, *values;
	size_t count;
};

/* Makes none of the maps, of an object that is opened: nothing is counted by key this time. */
void table__leave_out(const struct bpf_object *object);

/* What a table is before table__prepare(). */
#define TABLE_NONE { .slot_fd = -1, .template_fd = -1 }

/*
 * The hashes are preallocated: that is right on every kernel and in every context, and what they take is known at the start.
 * For 16,384 keys it takes 2 million instructions, though most runs meet a few hundred.  on_demand: where the kernel can
 * (lib/kernel/kernel.h), room for a key is allocated when it is seen first.
 *
 * The array of maps is made after a hash of one key: of a template only types and sizes matter.
 *
 * Sets how many keys the hashes of an object hold that is opened and not loaded (0: as its source says); without such maps
 * it does nothing.  has_intervals: it is cut while programs count; else the second hash is not made (0.6 million
 * instructions for 16,384 keys). 0 or -errno.  table__close() releases it.
 */
int table__prepare(struct table *table, const struct bpf_object *object, uint32_t keys, bool on_demand, bool has_intervals);

/*
 * Before table__prepare(): sets the size of the keys, in bytes, of an object that is opened and not loaded, where the command line decides
 * it.  0 or -errno.
 */
int table__set_key_size(const struct bpf_object *object, uint32_t size);

/* The same for the size of the values, which is at most that of the programs' type. */
int table__set_value_size(const struct bpf_object *object, uint32_t size);

/* After table__prepare(), when the object is loaded.  0, also where it has no table, or -errno.  table__close() releases it. */
int table__open(struct table *table, const struct bpf_object *object);
void table__close(struct table *table);

/*
 * Cuts: the rows are then those of the interval that has ended.  is_over: no program counts any more, and this is the last
 * time.  0 or -errno.
 */
int table__cut(struct table *table, bool is_over);

/* Adds up the rows of the last interval that have the same key; all words of a value (8 bytes each) are sums.  0 or -ENOMEM. */
int table__add_up(struct table *table);

/* Row number i, below count. */
static inline const void *table__key(const struct table *table, size_t i)
{
	return table->keys + i * table->key_size;
}

static inline const void *table__value(const struct table *table, size_t i)
{
	return table->values + i * table->value_size;
}

#endif
