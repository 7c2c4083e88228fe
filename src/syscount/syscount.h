/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_SYSCOUNT_H
#define PROBELIGHT_SYSCOUNT_H

#include "lib/shared/event.h"
#include "lib/shared/task_key.h"

/* Every call has a class: its number in its ABI. */
#define SYSCOUNT_NUMBERS 576			/* SYSCALL_NUMBERS of lib/print/syscall_names.h */
enum syscount_class {
	SYSCOUNT_32BIT = SYSCOUNT_NUMBERS,		/* those of 32-bit calls from here on */
	SYSCOUNT_UNKNOWN = 2 * SYSCOUNT_NUMBERS,	/* no number, or one that is too large */
	SYSCOUNT_OTHERS,				/* calls whose key found no room in the table */
	SYSCOUNT_CLASSES,
};

struct syscount_counts {
	__u64 count;
	__u64 ns;		/* -L */
	__u64 untimed;		/* -L: of count, those that seccomp refused, which do not begin */
	__u64 in_flight;	/* -L; one CPU's part may be negative */
};

/* By task, error, or both: what is not asked for is 0. */
struct syscount_key {
	struct task_key task;
	__u16 class;
	__u16 error;
	__u32 reserved;
};

#define SYSCOUNT_KEYS 4096
#define SYSCOUNT_FORKS 8	/* calls that return once more, in the new task */
#define SYSCOUNT_EXITS 4	/* calls that do not return */

#endif
