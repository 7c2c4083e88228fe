/* SPDX-License-Identifier: BSD-2-Clause */
/* What a process executes: the executable mappings of /proc/PID/maps, and whether it is still the same process. */
#ifndef PROBELIGHT_MAPS_H
#define PROBELIGHT_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/shared/stack.h"

/* A mapping. */
struct map {
	uint64_t start, end;	/* addresses; end is behind the last byte */
	uint64_t offset;	/* of start, in the file */
	uint64_t inode;		/* 0: of no file */
	dev_t device;		/* as the maps say, which on btrfs and overlayfs is not what stat(2) says */
	char *path;		/* as the kernel shows it, "/usr/bin/x (deleted)", "[vdso]", or ""; untrusted bytes */
	void *module;		/* the caller's */
};

struct maps {
	struct map *list;	/* by rising address */
	size_t count;
	size_t taken;		/* of the budget (budget.h) */
};

/*
 * Parses the text of a maps file, in place.  Lines that are none are left out, and so are mappings that are not executable.
 * 0, -ENOMEM, or -EFBIG where the budget has no room.  maps__free() releases it, also a zeroed one.
 */
int maps__parse(struct maps *maps, char *text);
void maps__free(struct maps *maps);

/*
 * Reads /proc/PID/maps: 0 or -errno; -ENOENT and -ESRCH where the process is gone, -EFBIG beyond 64 MB (some 500,000
 * mappings).
 */
int maps__read(struct maps *maps, uint32_t pid);

/* Whether they are of the same files at the same addresses. */
bool maps__are_same(const struct maps *a, const struct maps *b);

/* The mapping that an address is in; NULL: none. */
struct map *maps__at(const struct maps *maps, uint64_t address);

/* What tells a process from another one of the same number, and from what it was before an exec. */
struct process_identity {
	uint64_t start_time;	/* of /proc/PID/stat: clock ticks since boot */
	uint64_t code, code_end, stack;	/* where code begins and ends, and where the stack begins; 1, 1 and 0 where that is not shown */
	bool is_ended;		/* its first thread has no memory any more: it executes nothing, and code, code_end and stack are 0 */
};

/* 0 or -errno; -ENOENT and -ESRCH where there is no such process. */
int process_identity__read(struct process_identity *identity, uint32_t pid);

/* The same, of the text of /proc/PID/stat.  0 or -EINVAL. */
int process_identity__parse(struct process_identity *identity, const char *stat);

/* Whether it is the same process, executing the same program. */
bool process_identity__is_same(const struct process_identity *a, const struct process_identity *b);

/* Whether the process executes this program; false also where that is not known. */
bool process_identity__executes(const struct process_identity *identity, const struct stack_program *program);

/*
 * 0: the process executes the program of which a stack was taken, or one of both is not known.  -ESTALE: it executes another one, after an
 * exec or because its number is another process' now.  -ESRCH: it has ended.
 */
int process_identity__check(const struct process_identity *identity, const struct stack_program *program);

/* Reads once more who the process is: 0 if it is the same, executing the same; else -errno, as of both above. */
int process_identity__check_again(const struct process_identity *identity, uint32_t pid);

#endif
