/* SPDX-License-Identifier: BSD-2-Clause */
#include "links.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/kernel/arming.h"

/* Links that are only descriptors. */
static struct own_link {
	const struct bpf_program *program;
	int fd;
	bool is_event;
} *own_links;
static size_t own_count;

static int keep(const struct bpf_program *program, int fd, bool is_event)
{
	struct own_link *larger = realloc(own_links, (own_count + 1) * sizeof(*larger));

	if (!larger)
		return -ENOMEM;
	own_links = larger;
	own_links[own_count++] = (struct own_link){ .program = program, .fd = fd, .is_event = is_event };
	return 0;
}

int links__own(const struct bpf_program *program, int fd)
{
	return keep(program, fd, false);
}

int links__own_event(const struct bpf_program *program, int fd)
{
	return keep(program, fd, true);
}

void links__close_own(void)
{
	if (own_count)
		disarming__keep();
	while (own_count)
		close(own_links[--own_count].fd);
	free(own_links);
	own_links = NULL;
}

static const struct own_link *own_link(const struct bpf_program *program)
{
	for (size_t i = 0; i < own_count; i++)
		if (own_links[i].program == program)
			return &own_links[i];
	return NULL;
}

int links__fd(const struct bpf_prog_skeleton *entry)
{
	const struct own_link *own = own_link(*entry->prog);

	return own ? own->fd : *entry->link ? bpf_link__fd(*entry->link) : -1;
}

int links__asked_fd(const struct bpf_prog_skeleton *entry)
{
	const struct own_link *own = own_link(*entry->prog);

	return own && own->is_event ? -1 : links__fd(entry);
}

static void *destroy_link(void *link)
{
	disarming__keep();
	bpf_link__destroy(link);
	return NULL;
}

struct bpf_prog_skeleton *links__entry(const struct bpf_object_skeleton *skeleton, int index)
{
	return (void *)((char *)skeleton->progs + (size_t)index * skeleton->prog_skel_sz);
}

static bool section_begins(const struct bpf_program *program, const char *const *begins)
{
	const char *section = bpf_program__section_name(program);

	section += *section == '?';	/* not loaded by itself */
	for (; *begins; begins++)
		if (!strncmp(section, *begins, strlen(*begins)))
			return true;
	return false;
}

bool links__is_entry(const struct bpf_program *program)
{
	static const char *const begins[] = { "kprobe", "ksyscall", "fentry", "session", "raw_tp/sys_enter", "tp/syscalls/sys_enter_", NULL };

	return section_begins(program, begins);
}

bool links__is_return(const struct bpf_program *program)
{
	static const char *const begins[] = { "kretprobe", "kretsyscall", "fexit", "raw_tp/sys_exit", "tp/syscalls/sys_exit_", NULL };

	return section_begins(program, begins);
}

void links__detach(struct bpf_object_skeleton *skeleton)
{
	pthread_t *threads = calloc((size_t)skeleton->prog_cnt, sizeof(*threads));
	struct bpf_link *own = NULL;
	size_t count = 0;

	for (int i = 0; i < skeleton->prog_cnt; i++) {
		struct bpf_prog_skeleton *entry = links__entry(skeleton, i);
		struct bpf_link *link = *entry->link;

		if (!link)
			continue;
		*entry->link = NULL;
		if (!own)
			own = link;		/* this thread's */
		else if (threads && !pthread_create(&threads[count], NULL, destroy_link, link))
			count++;
		else
			destroy_link(link);
	}
	links__close_own();
	if (own)
		destroy_link(own);
	while (count)
		pthread_join(threads[--count], NULL);
	free(threads);
}
