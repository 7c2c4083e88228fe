/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that are on no tracepoint's record: kprobes, system calls, raw tracepoints, trampolines, LSM hooks, perf events. */
#ifndef PROBELIGHT_PROGRAMS_H
#define PROBELIGHT_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/print/fault.h"

struct program;

struct programs {
	const char *btf;	/* another kernel's, of which only the types are known; NULL: the running one's */
	struct program *list;
	size_t count;
};

/* Whether a word names a program, by the kind before the slash or the colon: "kprobe/vfs_open", "perf_event". */
bool programs__has_kind(const char *word);

/* Adds the program that the word names, each once. 0, or -errno with one line in fault: why there cannot be such a program. */
int programs__add(struct programs *programs, const char *word, struct fault *fault);

/* Writes them as a source file that compiles. Errors are to's. */
void programs__print(const struct programs *programs, FILE *to);

void programs__free(struct programs *programs);

#endif
