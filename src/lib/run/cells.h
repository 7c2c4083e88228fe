/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cells that programs count in (counts.bpf.h), one set for each CPU, mapped: reading them takes no system call, so it makes
 * no program miss anything.  They are never reset; an interval is the difference of two looks, so the differences of any number
 * of looks add up to all that was counted.
 */
#ifndef PROBELIGHT_CELLS_H
#define PROBELIGHT_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/libbpf.h>

struct cells {
	const uint64_t *mapped;		/* words of each class of each CPU; NULL: the object counts in none */
	size_t mapped_size;		/* bytes */
	size_t words;			/* of all classes, for one CPU */
	size_t class_words;		/* of one class */
	size_t cpus;
	bool by_cpu;			/* the two below have each CPU's own, one after the other; false: their sums */
	uint64_t *last;			/* sums at the last look */
	uint64_t *difference;		/* what was counted between the last two looks: the classes one after the other */
};

/* How many sums there are of each word: 1, or as many as CPUs. */
static inline size_t cells__sums(const struct cells *cells)
{
	return cells->by_cpu ? cells->cpus : 1;
}

/*
 * Gives the map `counts_map` of an object that is opened and not loaded room for all CPUs.  Where that is not to be made the
 * cells are those of COUNTS_OF_FEW, which have slots for CPUs; without either it does nothing.  0 or -errno.
 */
int cells__prepare(struct cells *cells, const struct bpf_object *object);

/* Maps it once it is loaded.  0 or -errno.  cells__close() releases what it holds, also of a zeroed one. */
int cells__open(struct cells *cells, const struct bpf_object *object);
void cells__close(struct cells *cells);

/* Looks: cells->difference is then what was counted since the look before, or since it was opened. */
void cells__cut(struct cells *cells);

/*
 * The sum of count words of each class, from first on, of all CPUs by now: the number of events, where each adds one to one of them.
 */
uint64_t cells__sum(const struct cells *cells, size_t first, size_t count);

/* In how many classes of how many CPUs that word, of a class' first, is not 0: where it says that something is under way. */
uint64_t cells__under_way(const struct cells *cells, size_t word);

#endif
