/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cells that programs count in (counts.bpf.h), one set for each CPU, mapped: reading them takes no system call, so it makes
 * no program miss anything.  They are never reset; an interval is the difference of two looks, so the differences of any number
 * of looks add up to all that was counted.
 */
#ifndef PROBELIGHT_CELLS_H
#define PROBELIGHT_CELLS_H

#include <stddef.h>
#include <stdint.h>

#include <bpf/libbpf.h>

struct cells {
	const uint64_t *mapped;		/* words of each class of each CPU; NULL: the object counts in none */
	size_t mapped_size;		/* bytes */
	size_t words;			/* of all classes, for one CPU */
	size_t cpus;
	uint64_t *last;			/* sums at the last look */
	uint64_t *difference;		/* what was counted between the last two looks: the classes one after the other */
};

/*
 * Gives the map `counts_map` of an object that is opened and not loaded room for all CPUs; without such a map it does nothing.
 * 0 or -errno.
 */
int cells__prepare(struct cells *cells, const struct bpf_object *object);

/* Maps it once it is loaded.  0 or -errno.  cells__close() releases what it holds, also of a zeroed one. */
int cells__open(struct cells *cells, const struct bpf_object *object);
void cells__close(struct cells *cells);

/* Looks: cells->difference is then what was counted since the look before, or since it was opened. */
void cells__cut(struct cells *cells);

/* The sum of all words of all CPUs by now: the number of events, where each adds one to one word. */
uint64_t cells__sum(const struct cells *cells);

#endif
