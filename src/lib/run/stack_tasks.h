/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --by in tools that count by stack (stack_report.h): counts by task, cgroup or what a cgroup is of, without stacks, which are not taken
 * then; and what --metrics has of such a tool, where a stack is no label.  A tool with it has about.by_task, programs that fill their
 * keys by stack_key_set() (lib/bpf/stack_key.bpf.h), and .by = STACK_TASKS_BY or a table of its own.
 */
#ifndef PROBELIGHT_STACK_TASKS_H
#define PROBELIGHT_STACK_TASKS_H

#include <stdint.h>

#include "stack_report.h"
#include "task_keys.h"

/* Words that tools with -P have; what the tag is called is the tool's. */
#define STACK_TASKS_PROCESS { "process", 'P' }
#define STACK_TASKS_TAG(word) { word, STACK_REPORT_TAG }

extern bool stack_tasks_shows_tag;

/* The columns of --by, of times; tag: what the report's tag is called. */
#define STACK_TASK_COLUMNS(tag) \
	{ "PERCENT", 7, NULL, NULL }, \
	{ "TOTAL(ms)", 12, NULL, "total_ns" }, \
	{ "COUNT", 10, NULL, NULL }, \
	TASK_KEY_COLUMNS, \
	{ tag, -16, &stack_tasks_shows_tag, NULL }, \
	TASK_KEY_CGROUP_COLUMNS

/* The same of samples. */
extern const struct out_column stack_tasks_sample_columns[];

/*
 * Prints an interval by task, or for --metrics without --by the sum alone; others: of the keys without room.  Gives how many were counted,
 * an error is in tool->err.
 */
uint64_t stack_tasks__print(struct stack_report *report, const struct interval *interval, const struct stack_value *others);

#endif
