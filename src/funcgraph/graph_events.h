/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that programs send (shared/graph_event.h) into trees (ftrace/call_trees.h), and which task each tree is of. */
#ifndef PROBELIGHT_RUN_GRAPH_EVENTS_H
#define PROBELIGHT_RUN_GRAPH_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "call_rows.h"
#include "lib/ftrace/call_trees.h"
#include "lib/kernel/hash.h"
#include "lib/shared/graph_event.h"
#include "lib/traced/traced.h"

struct graph_events {
	const struct traced *traced;
	bool has_args, has_results;
	struct hash tasks;		/* of trees that are not complete, by call_trees__key() */
};

/* Adds an event of a program.  0 or -ENOMEM. */
int graph_events__add(struct graph_events *events, struct call_trees *trees, const struct graph_event *event);

/* Whose tree it is that call_trees gives, once.  One that no event told of has the name "<...>". */
void graph_events__take_task(struct graph_events *events, const struct call_tree *tree, struct event_task *task);

/* Which of traced's functions are ROOTs, as programs tell functions: the first `most` of them into the list.  How many there are. */
size_t graph_events__list_roots(const struct graph_events *events, struct call_rows *rows, uint64_t *list, size_t most);

/* All of them as the keys of a map whose values are a byte each.  tool->err. */
int graph_events__fill_roots(const struct graph_events *events, struct tool *tool, struct call_rows *rows, const struct bpf_map *map);

void graph_events__free(struct graph_events *events);

#endif
