/* SPDX-License-Identifier: BSD-2-Clause */
#include "graph_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TASKS_MAX (1 << 16)

struct graph_task {
	uint32_t depth;		/* of the outermost call of the tree, whose begin is the first event that tells the task */
	struct event_task task;
};

static int set_task(struct graph_events *events, const struct graph_event_begin *begin)
{
	struct graph_task *task;

	events->tasks.value_size = sizeof(*task);
	events->tasks.bound = TASKS_MAX;
	task = hash__get(&events->tasks, call_trees__key(begin->event.thread, begin->event.cpu));
	if (!task)
		return -ENOMEM;
	*task = (struct graph_task){ .depth = begin->event.depth, .task = begin->task };
	return 0;
}

int graph_events__add(struct graph_events *events, struct call_trees *trees, const struct graph_event *event)
{
	const struct traced *traced = events->traced;
	struct graph_record record = {
		.kind = GRAPH_ENTRY, .time_ns = event->ts_ns, .tid = event->thread, .cpu = event->cpu,
		.lost_some = event->lost, .lost = event->lost,
	};
	const struct graph_event_begin *begin = (const void *)event;
	const struct graph_task *task;
	int err;

	/*
	 * An event that tells the task begins a tree, also inside of a ROOT that found no room: at depth 0, so that it
	 * completes the one before, if the return of that was lost.
	 */
	task = event->has_task ? NULL : hash__find(&events->tasks, call_trees__key(event->thread, event->cpu));
	if (task && task->depth <= event->depth)
		record.depth = event->depth - task->depth;

	if (event->kind == GRAPH_EVENT_TASK_END) {
		call_trees__end_task(trees, event->thread, record.depth);
		hash__remove(&events->tasks, call_trees__key(event->thread, event->cpu));
		return 0;
	}
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
	uint64_t key = call_trees__key(tree->tid, tree->cpu);
	const struct graph_task *found = hash__find(&events->tasks, key);

	*task = found ? found->task : (struct event_task){ .tid = tree->tid, .pid = tree->tid, .comm = "<...>", .reserved = TASK_NO_USER };
	hash__remove(&events->tasks, key);
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
			tool__fail(tool, -errno, "the ROOTs cannot be given to the programs: %s", strerror(errno));
	free(list);
	return tool->err;
}

void graph_events__free(struct graph_events *events)
{
	hash__free(&events->tasks);
}
