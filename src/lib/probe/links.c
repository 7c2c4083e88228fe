/* SPDX-License-Identifier: BSD-2-Clause */
#include "links.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void *destroy_link(void *link)
{
	bpf_link__destroy(link);
	return NULL;
}

/* Whether a program sees something begin: what it sees then another one shall see end. */
static bool is_entry(const struct bpf_program *program)
{
	const char *section = bpf_program__section_name(program);

	return !strncmp(section, "kprobe", 6) || !strncmp(section, "ksyscall", 8) || !strncmp(section, "fentry", 6);
}

static void detach(struct bpf_object_skeleton *skeleton, bool entries_only)
{
	pthread_t *threads = calloc((size_t)skeleton->prog_cnt, sizeof(*threads));
	struct bpf_link *own = NULL;
	size_t count = 0;

	for (int i = 0; i < skeleton->prog_cnt; i++) {
		struct bpf_prog_skeleton *entry = (void *)((char *)skeleton->progs + (size_t)i * skeleton->prog_skel_sz);
		struct bpf_link *link = *entry->link;

		if (!link || (entries_only && !is_entry(*entry->prog)))
			continue;
		*entry->link = NULL;
		if (!own)
			own = link;		/* this thread's */
		else if (threads && !pthread_create(&threads[count], NULL, destroy_link, link))
			count++;
		else
			bpf_link__destroy(link);
	}
	bpf_link__destroy(own);
	while (count)
		pthread_join(threads[--count], NULL);
	free(threads);
}

void links__detach_entries(struct bpf_object_skeleton *skeleton)
{
	detach(skeleton, true);
}

void links__detach(struct bpf_object_skeleton *skeleton)
{
	detach(skeleton, false);
}
