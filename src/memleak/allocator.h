/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of a process's allocator: where they begin and end, and programs on them. */
#ifndef PROBELIGHT_ALLOCATOR_H
#define PROBELIGHT_ALLOCATOR_H

#include "lib/run/tool.h"

struct memleak_bpf;

/* Whose allocator. */
struct allocator_wants {
	const char *file;	/* this library or program; NULL: those of the process */
	bool mappings;		/* also mmap(), mremap() and munmap() */
	bool follows;		/* also what comes under the file's name later */
	const uint32_t *pids;	/* pids_count processes; 0: all that execute the file */
	uint32_t pids_count;
	uint32_t pid;		/* this process alone has breakpoints; 0: each one that executes the file */
	const char *command;	/* a program that is not executed yet; NULL: the process executes it */
};

/* Before load: how the programs are attached. */
void allocator__prepare(struct memleak_bpf *skel);

/*
 * Attaches the programs: those at the ends of calls first, then that of free(), so that no allocation is in the table whose end would not
 * be seen.  tool->err.
 */
int allocator__attach(struct tool *tool, struct memleak_bpf *skel, const struct allocator_wants *wants);
void allocator__detach(void);

/* After the run.  Fails where a write to one of the files has ended it. */
void allocator__close(struct tool *tool);

#endif
