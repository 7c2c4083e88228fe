/* SPDX-License-Identifier: BSD-2-Clause */
#include "children.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <children.skel.h>

#include "lib/kernel/tasks.h"
#include "lib/layout/layout.h"
#include "lib/probe/missed.h"
#include "lib/shared/children.h"
#include "side_program.h"

#define WORDS_SIZE (CHILDREN_WORDS * sizeof(uint64_t))

static struct {
	struct children_bpf *skel;
	uint64_t *words;	/* the map */
} children;

static uint64_t *word_of(uint32_t number)
{
	return &children.words[number / CHILDREN_WORD_BITS];
}

static void follow(uint32_t number)
{
	if (number < CHILDREN_NUMBERS)
		__atomic_fetch_or(word_of(number), 1ull << number % CHILDREN_WORD_BITS, __ATOMIC_SEQ_CST);
}

/*
 * First the process: a thread that it makes from then on is followed by the program.  Those that it has already are listed
 * afterwards, so that none is left out.
 */
static void follow_process(uint32_t pid)
{
	uint32_t *threads;
	size_t count;

	follow(pid);
	threads = tasks__threads(&pid, 1, &count);
	for (size_t i = 0; threads && i < count; i++)
		follow(threads[i]);
	free(threads);
}

int children__start(const struct task_filter *filter, struct fault *fault)
{
	struct side_program side;
	struct children_bpf *skel;
	int err = side_program__begin(&side, fault);

	if (err)
		return err;
	skel = children.skel = children_bpf__open_opts(&side.opts);
	if (skel)
		memcpy((void *)&skel->rodata->filter, filter, sizeof(*filter));
	if (!filter->pidns_ino)
		layout__leave_out(side.layout, "pidns_numbers");
	if (!filter->pidns_below) {
		layout__leave_out(side.layout, "pidns_numbers_below");
		layout__leave_out(side.layout, "pid_number_in_namespace");
	}
	err = side_program__attach(&side, skel ? skel->skeleton : NULL, fault);
	if (err)
		return err;
	children.words = mmap(NULL, WORDS_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(skel->maps.followed), 0);
	if (children.words == MAP_FAILED) {
		children.words = NULL;
		return fault__set(fault, -errno, "%s", strerror(errno));
	}
	for (uint32_t i = 0; !filter->pidns_ino && i < filter->pids_count; i++)
		follow_process(filter->pids[i]);
	return 0;
}

int children__share(const struct bpf_object *object)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, "followed");

	return map && children.skel ? bpf_map__reuse_fd(map, bpf_map__fd(children.skel->maps.followed)) : 0;
}

bool children__follow(uint32_t number)
{
	return children.words && number < CHILDREN_NUMBERS &&
	       __atomic_load_n(word_of(number), __ATOMIC_RELAXED) >> number % CHILDREN_WORD_BITS & 1;
}

uint64_t children__missed(void)
{
	const struct children_bpf *skel = children.skel;

	return skel && skel->links.task_newtask ? missed__of_program(skel->progs.task_newtask) : 0;
}

void children__end(void)
{
	if (children.words)
		munmap(children.words, WORDS_SIZE);
	children.words = NULL;
	children_bpf__destroy(children.skel);
	children.skel = NULL;
}
