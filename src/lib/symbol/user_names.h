/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names for addresses in the code of processes, while these live: which file an address is in (maps), and which function of that
 * file (elf_symbols).  A file is opened through /proc/PID/map_files, which gives the very file that is mapped, also a deleted
 * one and in another mount namespace; where that is not permitted, by its path below /proc/PID/root, if that is still the same file.
 * Each file is read once, whichever processes have it mapped.  Code that a JIT compiler made is named by what it told (perf_map).
 *
 * Only regular files are read; no file is opened before it is known to be one.  A file or a process that does not answer is given up
 * after USER_NAMES_LIMIT_MS.
 */
#ifndef PROBELIGHT_USER_NAMES_H
#define PROBELIGHT_USER_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/shared/stack.h"

#define USER_NAMES_LIMIT_MS 5000

/* A place in a file, or why it is not known. */
struct user_frame {
	const char *name;	/* the function, or "[unknown] (libc.so.6+0x1234)", "[unknown] (process ended)"; untrusted bytes */
	const char *file;	/* its path as the process has it, "[vdso]", "[anon]"; NULL: not known */
	uint64_t offset;	/* in the file or mapping; without a file 0 */
	char *own;		/* inside of user_names: the name where it is the frame's own */
	bool is_named;		/* the name is a function's */
	bool is_kept;		/* user_names__keep(), until the next sweep */
	bool is_late;		/* it has no name yet: a JIT compiler may tell one later */
	bool is_no_code;	/* the process has no code there: no caller, but what stood where one was looked for */
};

struct user_names;

/* NULL without memory. */
struct user_names *user_names__new(void);

/* Takes NULL.  The frames go with it. */
void user_names__free(struct user_names *names);

/*
 * Frames, and the files that they are in, stay until a sweep: then those go which were not kept since the one before.
 * Whether there are many more than the last sweep left.
 */
bool user_names__are_many(const struct user_names *names);
void user_names__keep(const struct user_frame *frame);
void user_names__sweep(struct user_names *names);

/*
 * What JIT compilers tell is read at most once a second. From now on it is read once more of each process that has such code, when a
 * stack of it is named next.
 */
void user_names__look_again(struct user_names *names);

/*
 * Names a stack of a process of this pid namespace (0: nobody knows which): count addresses, the innermost first, all but that being
 * return addresses, which are looked up one byte before.  frames[i] is that of addresses[i], valid until the next sweep.
 * program: what the process executed when the stack was taken.  If it executes another one by now, and this one's mappings were not read
 * before, the names are "[unknown] (now another program)".  Where it is not known (0), or this process may not be looked into, the names
 * are of what it executes now.  0 or -ENOMEM.
 */
int user_names__stack(struct user_names *names, uint32_t pid, const struct stack_program *program, const uint64_t *addresses,
		      size_t count, const struct user_frame **frames);

#endif
