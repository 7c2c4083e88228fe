/* SPDX-License-Identifier: BSD-2-Clause */
/* Trees of calls as rows: a row for each call, indented in text, with its level in JSON. */
#ifndef PROBELIGHT_RUN_CALL_ROWS_H
#define PROBELIGHT_RUN_CALL_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/ftrace/call_trees.h"
#include "lib/kernel/names.h"
#include "lib/kernel/tasks.h"
#include "lib/print/piece.h"
#include "lib/traced/traced.h"

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
	/* the tool sets them, once this is open */
	bool results;			/* shown where they are known */
	const struct call_cpu *cpu_time;	/* of the next call, with --cpu-time; else NULL */
	bool state;			/* the columns of --context; only if call_rows__columns() was asked for them */
	bool tail;			/* text: the name of its function is behind each closing brace */
	uint64_t open[CALL_LEVELS_MAX];	/* with tail: the function whose brace is open, by level */
	struct call_name *name;		/* the one that was asked for last, or NULL */
	struct event_task task;		/* of the next rows */
	/* CPU and task of the last row, which most often are those of the next one; has_place: one row at least had them */
	struct piece place;
	uint32_t place_cpu;
	bool has_place;
	/* what is being printed */
	uint64_t number;
	const struct call *call;
	const uint64_t *args;
	uint32_t level;
};

/* The columns: each value apart, for JSON and --count. */
extern const struct out_column call_rows_apart[];

/*
 * Those, or with the calls as C, for text; rows are written so from now on.  overhead: text also has a column with the
 * kernel's marks of long calls (funcgraph-overhead); context: those of run/state_columns.h; cpu_time: how long calls had a CPU.  NULL
 * without memory.
 */
const struct out_column *call_rows__columns(bool apart, bool overhead, bool context, bool cpu_time);

/*
 * For a tool whose functions were matched (traced.h), the first `roots` patterns being its ROOTs.  with_values: arguments and results are
 * shown by the names and types that BTF has.  tool->err.  call_rows__close() takes a zeroed one.
 */
int call_rows__open(struct call_rows *rows, struct tool *tool, const struct traced *traced, size_t roots,
		    struct names *names, bool with_values);
void call_rows__close(struct call_rows *rows);

/* Whether the function at an address is a ROOT. */
bool call_rows__is_root(struct call_rows *rows, uint64_t address);

/* Makes rows->task this one, of programs' events. */
static inline void call_rows__use_task(struct call_rows *rows, const struct event_task *task)
{
	rows->task = *task;
	rows->has_place = false;
}

/* call_rows__set_task()'s slow part: another task, or one that has another name now. */
void call_rows__change_task(struct call_rows *rows, const struct call_tree *tree, const struct task *task);

/* Makes rows->task that of a tree; task: what is known of it, NULL: nothing.  Most often it is that of the tree before. */
static inline void call_rows__set_task(struct call_rows *rows, const struct call_tree *tree, const struct task *task)
{
	if (!task || task->tid != rows->task.tid || task->pid != rows->task.pid ||
	    memcmp(task->comm, rows->task.comm, sizeof(rows->task.comm)))
		call_rows__change_task(rows, tree, task);
}

/* A tree begins; its number, from 1. */
static inline void call_rows__begin(struct call_rows *rows, uint64_t number)
{
	rows->number = number;
}

/*
 * The next call of the tree in the order in which they began, its level, and that of the call behind it, 0 for none.  args: CALL_ARGS
 * of them, or NULL.
 */
void call_rows__put(struct call_rows *rows, const struct call *call, uint32_t level, uint32_t next_level, const uint64_t *args);

#endif
