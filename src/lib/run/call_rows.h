/* SPDX-License-Identifier: BSD-2-Clause */
/* Trees of calls as rows: a row for each call, indented in text, with its level in JSON. */
#ifndef PROBELIGHT_RUN_CALL_ROWS_H
#define PROBELIGHT_RUN_CALL_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/ftrace/call_trees.h"
#include "lib/ftrace/names.h"
#include "traced.h"

#define CALL_ROWS_LEVELS 256	/* deeper ones are not indented further */

struct prototypes;
struct call_name;

struct call_rows {
	struct tool *tool;
	const struct traced *traced;
	size_t roots;			/* so many of traced's patterns are ROOTs */
	struct names *names;
	struct prototypes *prototypes;	/* of traced's functions, or NULL */
	struct call_name *kept;		/* names that were asked for */
	bool results;			/* shown where they are known; the tool sets it, once this is open */
	/* of the tree that is being printed */
	struct event_task task;
	uint64_t number;
	const struct call *call;	/* not printed yet: whether another one is inside of it tells the next one */
	const uint64_t *args;
	uint32_t level;
};

/* The columns, for struct tool: text has the calls as C, JSON the values apart. */
const struct out_column *call_rows__columns(const struct tool *tool);

/*
 * For a tool whose functions were matched (traced.h), the first `roots` patterns being its ROOTs.  with_values: arguments and results are shown by the
 * names and types that BTF has.  tool->err.  call_rows__close() takes a zeroed one.
 */
int call_rows__open(struct call_rows *rows, struct tool *tool, const struct traced *traced, size_t roots, struct names *names, bool with_values);
void call_rows__close(struct call_rows *rows);

/* Whether the function at an address is a ROOT. */
bool call_rows__is_root(struct call_rows *rows, uint64_t address);

/* A tree: its calls in the order in which they began, with their levels.  number: of the tree, from 1.  args: GRAPH_ARGS_MAX of them, or NULL. */
void call_rows__begin(struct call_rows *rows, const struct event_task *task, uint64_t number);
void call_rows__add(struct call_rows *rows, const struct call *call, uint32_t level, const uint64_t *args);
void call_rows__end(struct call_rows *rows);

#endif
