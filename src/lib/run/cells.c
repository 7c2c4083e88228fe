/* SPDX-License-Identifier: BSD-2-Clause */
#include "cells.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/shared/counts.h"

/* The map of the cells; NULL: the object counts in none. */
static struct bpf_map *find_map(const struct bpf_object *object, bool *of_few)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, "counts_map");

	*of_few = !map || !bpf_map__autocreate(map);
	return *of_few ? bpf_object__find_map_by_name(object, ".bss.counts") : map;
}

int cells__prepare(struct cells *cells, const struct bpf_object *object)
{
	bool of_few;
	struct bpf_map *map = find_map(object, &of_few);
	int cpus = libbpf_num_possible_cpus();
	uint32_t classes;

	if (!map)
		return 0;
	if (of_few) {
		cells->words = COUNTS_FEW;
		cells->class_words = 1;
		cells->cpus = COUNTS_FEW_SLOTS;
		return 0;
	}
	if (cpus < 0)
		return cpus;
	classes = bpf_map__max_entries(map);
	cells->cpus = (size_t)cpus;
	cells->class_words = bpf_map__value_size(map) / sizeof(uint64_t);
	cells->words = classes * cells->class_words;
	return bpf_map__set_max_entries(map, classes * (uint32_t)cpus);
}

int cells__open(struct cells *cells, const struct bpf_object *object)
{
	bool of_few;
	const struct bpf_map *map = find_map(object, &of_few);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *mapped;

	if (!map)
		return 0;
	cells->last = calloc(cells__sums(cells) * cells->words, sizeof(*cells->last));
	cells->difference = calloc(cells__sums(cells) * cells->words, sizeof(*cells->difference));
	if (!cells->last || !cells->difference)
		return -ENOMEM;
	cells->mapped_size = (cells->cpus * cells->words * sizeof(uint64_t) + page - 1) / page * page;
	mapped = mmap(NULL, cells->mapped_size, PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);
	if (mapped == MAP_FAILED)
		return -errno;
	cells->mapped = mapped;
	return 0;
}

void cells__close(struct cells *cells)
{
	if (cells->mapped)
		munmap((void *)cells->mapped, cells->mapped_size);
	free(cells->last);
	free(cells->difference);
	*cells = (struct cells){ 0 };
}

/* The sums of the words of `cpus` CPUs, from the first of them on. */
static void cut(struct cells *cells, size_t first, size_t cpus)
{
	uint64_t *last = cells->last + first * cells->words, *difference = cells->difference + first * cells->words;

	for (size_t i = 0; i < cells->words; i++) {
		uint64_t sum = 0;

		for (size_t cpu = first; cpu < first + cpus; cpu++)
			sum += __atomic_load_n(&cells->mapped[cpu * cells->words + i], __ATOMIC_RELAXED);
		difference[i] = sum - last[i];
		last[i] = sum;
	}
}

void cells__cut(struct cells *cells)
{
	size_t sums = cells__sums(cells);

	for (size_t i = 0; i < sums && cells->mapped; i++)
		cut(cells, i, cells->cpus / sums);
}

uint64_t cells__sum(const struct cells *cells, size_t first, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < cells->cpus * cells->words && cells->mapped; i += cells->class_words)
		for (size_t word = first; word < first + count && word < cells->class_words; word++)
			sum += __atomic_load_n(&cells->mapped[i + word], __ATOMIC_RELAXED);
	return sum;
}

uint64_t cells__under_way(const struct cells *cells, size_t word)
{
	uint64_t count = 0;

	for (size_t i = word; i < cells->cpus * cells->words && cells->mapped; i += cells->class_words)
		count += __atomic_load_n(&cells->mapped[i], __ATOMIC_RELAXED) != 0;
	return count;
}
