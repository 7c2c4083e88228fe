/* SPDX-License-Identifier: BSD-2-Clause */
#include "graph_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(CALL_ARGS == GRAPH_ARGS_MAX, "programs send as many arguments as the kernel's records have");

struct graph_task {
	struct graph_task *chain;
	uint32_t tid, cpu;
	uint32_t depth;		/* of the outermost call of the tree, whose begin is the first event that tells the task */
	struct event_task task;
};

/* Where a thread's, or a CPU's idle task's, is or is to be: *place is NULL then. */
static struct graph_task **find(struct graph_events *events, uint32_t tid, uint32_t cpu)
{
	struct graph_task **place = &events->buckets[(tid * 0x9e3779b1u ^ (tid ? 0 : cpu)) % GRAPH_TASKS_BUCKETS];

	while (*place && ((*place)->tid != tid || (!tid && (*place)->cpu != cpu)))
		place = &(*place)->chain;
	return place;
}

static int set_task(struct graph_events *events, const struct graph_event_begin *begin)
{
	uint32_t tid = begin->event.thread, cpu = begin->event.cpu;
	struct graph_task **place = find(events, tid, cpu);

	if (!*place)
		*place = calloc(1, sizeof(**place));
	if (!*place)
		return -ENOMEM;
	(*place)->tid = tid;
	(*place)->cpu = cpu;
	(*place)->depth = begin->event.depth;
	(*place)->task = begin->task;
	return 0;
}

int graph_events__add(struct graph_events *events, struct call_trees *trees, const struct graph_event *event)
{
	const struct traced *traced = events->traced;
	struct graph_record record = {
		.kind = GRAPH_ENTRY, .time_ns = event->ts_ns, .tid = event->thread, .cpu = event->cpu, .lost_some = event->lost, .lost = event->lost,
	};
	const struct graph_event_begin *begin = (const void *)event;
	const struct graph_task *task;
	int err;

	/*
	 * An event that tells the task begins a tree, also inside of a ROOT that found no room: at depth 0, so that it completes the one before, if
	 * the return of that was lost.
	 */
	task = event->has_task ? NULL : *find(events, event->thread, event->cpu);
	if (task && task->depth <= event->depth)
		record.depth = event->depth - task->depth;

	record.function = traced->by_multi ? event->function : traced->functions.list[event->function].address;
	if (event->kind == GRAPH_EVENT_RETURN) {
		const struct graph_event_return *returned = (const void *)event;

		record.kind = GRAPH_EXIT;
		record.ns = returned->ns;
		record.has_result = events->has_results;
		record.result = returned->result;
	} else if (events->has_args) {
		record.args_count = CALL_ARGS;
		memcpy(record.args, begin->args, sizeof(record.args));
	}
	err = call_trees__add(trees, &record);
	/* not before: it may have completed the tree that the thread had */
	return !err && event->has_task ? set_task(events, begin) : err;
}

void graph_events__take_task(struct graph_events *events, const struct call_tree *tree, struct event_task *task)
{
	struct graph_task **place = find(events, tree->tid, tree->cpu), *found = *place;

	*task = found ? found->task : (struct event_task){ .tid = tree->tid, .pid = tree->tid, .comm = "<...>", .reserved = TASK_NO_USER };
	if (!found)
		return;
	*place = found->chain;
	free(found);
}

size_t graph_events__list_roots(const struct graph_events *events, struct call_rows *rows, uint64_t *list, size_t most)
{
	const struct functions *functions = &events->traced->functions;
	size_t count = 0;

	for (size_t i = 0; i < functions->count; i++) {
		if (!call_rows__is_root(rows, functions->list[i].address))
			continue;
		if (count < most)
			list[count] = events->traced->by_multi ? functions->list[i].address : i;
		count++;
	}
	return count;
}

int graph_events__fill_roots(const struct graph_events *events, struct tool *tool, struct call_rows *rows, const struct bpf_map *map)
{
	size_t room = events->traced->functions.count, count;
	uint64_t *list = calloc(room, sizeof(*list));
	const uint8_t yes = 1;

	if (!list)
		return tool__fail(tool, -ENOMEM, "no memory for the addresses of functions");
	count = graph_events__list_roots(events, rows, list, room);
	for (size_t i = 0; i < count && !tool->err; i++)
		if (bpf_map__update_elem(map, &list[i], sizeof(*list), &yes, sizeof(yes), BPF_ANY))
			tool__fail(tool, -errno, "the ROOTs cannot be told to the programs: %s", strerror(errno));
	free(list);
	return tool->err;
}

void graph_events__free(struct graph_events *events)
{
	for (size_t i = 0; i < GRAPH_TASKS_BUCKETS; i++) {
		while (events->buckets[i]) {
			struct graph_task *task = events->buckets[i];

			events->buckets[i] = task->chain;
			free(task);
		}
	}
}
