/* SPDX-License-Identifier: BSD-2-Clause */
#include "waits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "lib/btf/btf_id.h"
#include "lib/kernel/file.h"
#include "lib/probe/tracing.h"
#include "tool.h"

#define TASKS_PER_ENTRY 4	/* of the tasks that exist now: so many may come */
#define ENTRIES_MIN 4096
#define ENTRIES_MAX (1 << 20)
/* The kernel's LRU table hands free entries to CPUs in lots of 128 (LOCAL_FREE_TARGET in kernel/bpf/bpf_lru_list.c). */
#define ENTRIES_PER_CPU 256

/* How many threads exist: the number behind the slash in /proc/loadavg; 0 where that cannot be read. */
static unsigned long count_tasks(void)
{
	char text[128];
	const char *slash;

	if (file__read_small("/proc/loadavg", text, sizeof(text)) <= 0)
		return 0;
	slash = strchr(text, '/');
	return slash ? strtoul(slash + 1, NULL, 10) : 0;
}

static struct bpf_program *iterator_of(const struct tool *tool)
{
	return bpf_object__find_program_by_name(*tool->skeleton->obj, "enter_task");
}

void waits__prepare(struct tool *tool)
{
	struct bpf_map *sums = bpf_object__find_map_by_name(*tool->skeleton->obj, "wait_sums");
	unsigned long entries = TASKS_PER_ENTRY * count_tasks();
	struct bpf_program *iterator = iterator_of(tool);
	uint32_t id = btf_id__kept("bpf_iter_task");
	int cpus = libbpf_num_possible_cpus(), err;

	if (entries < ENTRIES_MIN)
		entries = ENTRIES_MIN;
	if (cpus > 0)
		entries += (unsigned long)cpus * ENTRIES_PER_CPU;
	err = bpf_map__set_max_entries(sums, (uint32_t)(entries < ENTRIES_MAX ? entries : ENTRIES_MAX));
	if (!err && id)
		err = tracing__target(iterator, BPF_TRACE_ITER, id);
	if (err) {
		tool__fail(tool, err, "the table of waits cannot be prepared: %s", strerror(-err));
		return;
	}
	tool__needs_no_link(tool, iterator);
}

int waits__enter_tasks(struct tool *tool)
{
	const struct bpf_program *program = iterator_of(tool);
	int link = bpf_program__autoload(program) ? bpf_link_create(bpf_program__fd(program), 0, BPF_TRACE_ITER, NULL) : -EOPNOTSUPP;
	int iterator = link >= 0 ? bpf_iter_create(link) : link;
	char nothing[64];
	ssize_t size;

	/* the program prints nothing, so the first read goes through all tasks */
	while (iterator >= 0 && ((size = read(iterator, nothing, sizeof(nothing))) > 0 || (size < 0 && errno == EAGAIN)))
		;
	if (iterator < 0)
		tool__debug(tool, "tasks that exist are not entered: %s", strerror(-iterator));
	else
		close(iterator);
	if (link >= 0)
		close(link);
	return tool->err;
}
