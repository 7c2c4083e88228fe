/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts by stack, added up by process: the rows of -P, and what profile prints above its stacks. */
#ifndef PROBELIGHT_PROCESSES_H
#define PROBELIGHT_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "intervals.h"
#include "lib/shared/stack.h"

struct process_share {
	uint32_t pid;			/* 0: not in the caller's pid namespace, or an idle CPU; these are apart by name */
	char comm[TASK_COMM_LEN];	/* of its heaviest thread; untrusted bytes */
	struct stack_value value;
};

struct processes {
	struct process_share *list;	/* the heaviest first */
	size_t count;
	bool by_time;			/* they weigh what their values have in ns; else how many they count */
	struct stack_value without_room;	/* whose process is not known, as the table of stacks was full */
	struct stack_value all;		/* of all together */
	uint64_t idle;			/* profile: the interval's samples of idle CPUs, which are not in the list */
};

/* The columns of -P: of samples, and of times. */
extern const struct out_column processes_columns[], processes_time_columns[];

/*
 * The keys of a table of struct stack_key to struct stack_value by process; by_time as in the struct.  0 or -ENOMEM.
 * processes__free() releases it.
 */
int processes__make(struct processes *processes, const struct table *table, const struct stack_value *without_room, bool by_time);
void processes__free(struct processes *processes);

/*
 * Prints the first `most` as rows, then the others as one.  With samples also how many were of idle CPUs: in text a line, in JSON a record.
 */
void processes__print(const struct processes *processes, struct tool *tool, const struct interval *interval, size_t most);

/*
 * All of that for the times of an interval, -P: its processes as rows, by time, in JSON all of them unless -r says how many.  Gives how
 * many events they have; an error is in tool->err.
 */
uint64_t processes__report(struct tool *tool, const struct interval *interval, const struct stack_value *without_room);

/* Samples as lines of text, which the stacks follow; in JSON all of them in one record. */
void processes__print_above(const struct processes *processes, struct tool *tool, size_t most);

#endif
