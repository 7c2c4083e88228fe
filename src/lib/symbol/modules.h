/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What addresses of processes are in: files, each of which is read once whichever processes have it mapped, and what is
 * none.  Inside of user_names.
 */
#ifndef PROBELIGHT_MODULES_H
#define PROBELIGHT_MODULES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "lib/kernel/hash.h"
#include "maps.h"
#include "root_file.h"

#define MODULES_LIMIT_MS 5000	/* for opening a file, and for reading it */

struct elf_symbols;
struct perf_map;

/* A file that is mapped somewhere, or what stands for a mapping of no file or a reason. */
struct module {
	struct module *next;
	bool is_file;
	dev_t device;
	ino_t inode;
	struct timespec changed;
	off_t size;
	struct root_id root;		/* of the process that it was read for first */
	bool is_of_root;		/* its names are for processes with that root directory alone */
	char *path;
	struct elf_symbols *symbols;	/* NULL: err says why */
	const struct perf_map *jit;	/* of what a JIT compiler made; offsets are addresses; or NULL */
	int err;
	bool is_reason;			/* path is why nothing is known */
	bool is_no_code;		/* which is that nothing is there */
	bool is_kept;			/* modules__drop(): a process has it mapped */
	struct hash frames;		/* struct user_frame * by offset, inside of user_names */
};

#define MODULES_HUNG_MAX 16	/* file systems that hang */

struct modules_hang {
	dev_t device;
	uint64_t ns;			/* when; 0: none */
};

struct modules {
	struct module *list;
	size_t count;
	struct modules_hang hung[MODULES_HUNG_MAX];	/* the latest */
	size_t hung_next;
	int vdso_fd;			/* a copy of the vDSO (vdso.h); -1: none */
};

/* Empty ones; modules__free() releases them. */
void modules__init(struct modules *modules);
void modules__free(struct modules *modules);

/* Drops the frames that are not kept, and says how many are left; no longer kept. */
size_t modules__drop_frames(struct modules *modules);

/* Drops the modules that have no frames and are not kept; the others are no longer kept. */
void modules__drop(struct modules *modules);

/* Makes one, without symbols.  NULL without memory. */
struct module *modules__add(struct modules *modules, const char *path);

/* That of a mapping of no file, or of a reason; NULL without memory. */
struct module *modules__of_text(struct modules *modules, const char *text, bool is_reason);

/*
 * That of a mapping of a process, whose file is opened and read if need be, but not if the process is no longer who it
 * was when its mappings were read: then err is -ESTALE or -ESRCH. NULL without memory.
 *
 * While the budget has no time left (budget.h), or files of that file system do not answer, it is one without names for
 * now: the next call tries again.
 */
struct module *modules__of_map(struct modules *modules, uint32_t pid, const struct process_identity *identity, struct map *map);

/* The function at an offset; NULL: none is known. */
const char *module__function(const struct module *module, uint64_t offset);

/* "[unknown] (libc.so.6+0x12)", freed by the caller; NULL without memory. */
char *module__unknown(const struct module *module, uint64_t offset);

#endif
