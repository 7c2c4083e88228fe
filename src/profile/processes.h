/* SPDX-License-Identifier: BSD-2-Clause */
/* The share of each process in the samples of an interval: the rows of -P, and what stands above the stacks. */
#ifndef PROBELIGHT_PROCESSES_H
#define PROBELIGHT_PROCESSES_H

#include <stddef.h>
#include <stdint.h>

#include "lib/run/intervals.h"
#include "lib/shared/stack.h"

struct process_share {
	uint32_t pid;			/* 0: not in the caller's pid namespace, or an idle CPU; these are apart by name */
	char comm[TASK_COMM_LEN];	/* of its thread with most samples; untrusted bytes */
	uint64_t count;			/* samples */
};

struct processes {
	struct process_share *list;	/* the heaviest first */
	size_t count;
	uint64_t without_room;		/* samples whose process is not known, as the table of stacks was full */
	uint64_t all;			/* samples of all together */
	uint64_t idle;			/* the interval's samples of idle CPUs, which are not in the list */
};

/* The columns of -P. */
extern const struct out_column processes_columns[];

/* The keys of a table of struct stack_key to struct stack_value by process.  0 or -ENOMEM.  processes__free() releases it. */
int processes__make(struct processes *processes, const struct table *table, uint64_t without_room);
void processes__free(struct processes *processes);

/* Prints the first `most` as rows, then the others as one, then in text how many samples were of idle CPUs, in JSON a record of them. */
void processes__print(const struct processes *processes, struct tool *tool, const struct interval *interval, size_t most);

/* The same as lines of text, which the stacks follow; in JSON all of them in one record. */
void processes__print_above(const struct processes *processes, struct tool *tool, size_t most);

#endif
