/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls as events: their numbers in each ABI, and their arguments as the fields of a format, as the kernel's own events
 * (syscalls:sys_enter_NAME) name them. Where these are not there (no CONFIG_FTRACE_SYSCALLS) the kernel's BTF may name them, or else
 * they are arg0 to arg5.
 */
#ifndef PROBELIGHT_SYSCALL_FORMAT_H
#define PROBELIGHT_SYSCALL_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "compat_args.h"
#include "format.h"
#include "lib/print/fault.h"
#include "lib/print/syscall_names.h"

#define SYSCALL_ENTER "sys"	/* systems of the formats: a call begins */
#define SYSCALL_RETURN "sysr"	/* it returns */

#define SYSCALL_NUMBERS_MAX 4

/* The numbers that mean a call. */
struct syscall_numbers {
	int own[SYSCALL_NUMBERS_MAX];		/* of the machine's own ABI, and of x32 (without its bit) */
	int compat[SYSCALL_NUMBERS_MAX];	/* of 32-bit calls */
	size_t own_count, compat_count;
	const struct compat_args *compat_args;	/* where 32-bit calls have their arguments */
};

/* Whether there is a call of that name, as <asm/unistd.h> has it or as the kernel's function is named ("umount2" or "umount"). */
bool syscall_numbers__find(struct syscall_numbers *numbers, const char *name);

/*
 * The numbers that the kernel may tell when it returns. They are others after an exec: the new program's ABI counts, and execveat()
 * became execve().
 */
bool syscall_numbers__find_returns(struct syscall_numbers *numbers, const char *name);

/* All names of both ABIs, each once, with gaps (NULL) between them: for numbers below SYSCALL_FORMAT_NAMES. Constants. */
#define SYSCALL_FORMAT_NAMES (2 * SYSCALL_NUMBERS)
const char *syscall_format__name(size_t number);

/* Whether a call ever returns (exit does not). */
bool syscall_format__returns(const char *name);

/* Where programs find a call. */
struct syscall_places {
	unsigned args;		/* six arguments of 8 bytes each */
	unsigned ret, duration;	/* of a call that has returned, 8 bytes each */
};

/*
 * Makes the format of a call; system is one of both above. 0 and *format, freed by format__free(); -ENOENT with one line in fault: there is
 * no such call, and which are the nearest; -ENOMEM.
 */
int syscall_format__make(struct format **format, const char *system, const char *name, const struct syscall_places *places,
			 struct fault *fault);

/* The name of the kernel's own event of a call, without "sys_enter_": "newfstat" for "fstat". A constant, or name. */
const char *syscall_format__event(const char *name);

#endif
