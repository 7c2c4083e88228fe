/* SPDX-License-Identifier: BSD-2-Clause */
#include "links.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

static void *destroy_link(void *link)
{
	bpf_link__destroy(link);
	return NULL;
}

void links__detach(struct bpf_object_skeleton *skeleton)
{
	pthread_t *threads = calloc((size_t)skeleton->prog_cnt, sizeof(*threads));
	bool first = true;
	size_t count = 0;

	for (int i = 0; i < skeleton->prog_cnt && threads; i++) {
		struct bpf_prog_skeleton *entry = (void *)((char *)skeleton->progs + (size_t)i * skeleton->prog_skel_sz);

		if (!*entry->link)
			continue;
		if (!first && !pthread_create(&threads[count], NULL, destroy_link, *entry->link)) {
			*entry->link = NULL;
			count++;
		}
		first = false;
	}
	/* the first one, and any that has no thread */
	bpf_object__detach_skeleton(skeleton);
	while (count)
		pthread_join(threads[--count], NULL);
	free(threads);
}
