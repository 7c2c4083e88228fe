/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files that a name on the command line means, each inode once:
 *
 *	/usr/bin/bash	a path
 *	libc.so.6	a file name: all files of that name that processes execute, in containers too, and the machine's own
 *	libc		the same: libc.so.6, libc-2.31.so
 *	""		with pid: all files that this process executes
 *	bash		a program, of the processes that execute it, and of the usual directories
 *
 * A file is opened once: what was read and checked is what is probed, whatever its name means by then.
 */
#ifndef PROBELIGHT_USER_TARGETS_H
#define PROBELIGHT_USER_TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/print/fault.h"
#include "user_file.h"

#define USER_TARGETS_MAX 64

struct user_target {
	int fd;			/* open for reading */
	dev_t device;
	ino_t inode;
	char *path;		/* as a process has it; bytes of any kind */
	uint32_t pid;		/* a process that executes it; 0: none was seen */
	size_t processes;	/* how many were seen to */
	struct user_file *file;
};

struct user_targets {
	struct user_target list[USER_TARGETS_MAX];
	size_t count;
	/* files that were looked at, and are no targets: they cannot be probed, or do not have the function */
	struct user_inode { dev_t device; ino_t inode; } *others;
	size_t others_count;
};

/*
 * Finds the files into a zeroed struct, which user_targets__free() empties, also after an error.  pid: only those of that process, in whose
 * root directory a path is looked up; 0: of all processes.  Files of that name that cannot be probed (32-bit ones, say) are reported and
 * skipped where there are others.  0, or -errno with one line in fault: -ENOENT with the nearest names.
 */
int user_targets__find(struct user_targets *targets, const char *name, uint32_t pid, struct fault *fault);

/*
 * The same for the programs that processes execute, of any name, which have a function themselves, not from a library.  Programs that
 * cannot be read are skipped.  0, or -errno with one line in fault; none is no error.
 */
int user_targets__find_programs(struct user_targets *targets, const char *function, struct fault *fault);

/*
 * Looks for the files of a name once more: those that were not there before are added behind the others.  That there is none is no error; a
 * file that cannot be probed is one when it is seen for the first time.  0, or -errno with one line in fault.
 */
int user_targets__look_again(struct user_targets *targets, const char *name, uint32_t pid, struct fault *fault);

/*
 * -EBUSY with one line in fault where somebody debugs the process (ptrace(2)): a debugger takes the breakpoints for its own, and writes
 * them back when they are gone here; then the process dies.
 */
int user_targets__check_debugged(uint32_t pid, struct fault *fault);

/* Whether the process executes one of the files; true also where it cannot be asked. */
bool user_targets__are_used(const struct user_targets *targets, uint32_t pid);

void user_targets__free(struct user_targets *targets);

#endif
