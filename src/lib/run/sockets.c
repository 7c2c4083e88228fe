/* SPDX-License-Identifier: BSD-2-Clause */
#include "sockets.h"

#include <string.h>

#include "lib/kernel/kernel.h"
#include "lib/layout/names.h"
#include "lib/probe/attach.h"
#include "lib/probe/links.h"

void sockets__choose_programs(const struct tool *tool)
{
	const struct bpf_object *object = *tool->skeleton->obj;
	bool preempted = kernel__preempts_programs();

	bpf_program__set_autoload(bpf_object__find_program_by_name(object, "state_raw"), !preempted);
	bpf_program__set_autoload(bpf_object__find_program_by_name(object, "state_record"), preempted);
}

void sockets__attach_accept(struct tool *tool)
{
	static const char *const functions[] = { "security_sock_graft", NULL };

	if (tool->err)
		return;
	for (int i = 0; i < tool->skeleton->prog_cnt; i++) {
		const struct bpf_prog_skeleton *entry = links__entry(tool->skeleton, i);

		if (!strcmp(entry->name, "sock_graft"))
			attach__kprobe(tool->attach, *entry->prog, entry->link, functions);
	}
}

void sockets__task(struct tool *tool, const struct event_task *task)
{
	struct out *out = &tool->out;

	if (task->reserved & TASK_UNKNOWN) {
		out__none(out);
		out__none(out);
		out__none(out);
		out__none(out);
		tool__cgroup(tool, 0);
		return;
	}
	out__int(out, task->pid);
	out__int(out, task->tid);
	out__int(out, task->uid);
	out__string(out, task->comm, sizeof(task->comm));
	tool__cgroup(tool, task->cgroup_id);
}

void sockets__state(struct out *out, const struct names *names, uint32_t state)
{
	const char *name = names__find(names, state);

	if (!name)
		out__int(out, state);
	else if (!strncmp(name, "TCP_", 4))
		out__string(out, name + 4, strlen(name + 4));
	else
		out__string(out, name, strlen(name));
}

void sockets__tell_unkept(const struct tool *tool)
{
	const struct bpf_map *map = bpf_object__find_map_by_name(*tool->skeleton->obj, ".bss.unkept");
	size_t size;
	const uint64_t *unkept = map ? bpf_map__initial_value(map, &size) : NULL;

	if (unkept && *unkept)
		say("%llu sockets were not followed: there were too many at the same time (their rows lack what \"-\" stands for)",
		    (unsigned long long)*unkept);
}
