/* SPDX-License-Identifier: BSD-2-Clause */
/* A call that has returned, with what was kept of its begin: the context of the code that lib/gen makes for it. */
#ifndef PROBELIGHT_RETURNED_H
#define PROBELIGHT_RETURNED_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#include "call_args.h"

/* What the generated code says that a system call is (lib/gen/syscall.h); else 0. */
#define SYSCALL_OWN 1
#define SYSCALL_COMPAT 2	/* a 32-bit call */

#define SYSCALL_ARGS_MAX 6	/* of a system call */

/* Of 32-bit calls: a half of an argument that is not there, and a mark (lib/format/compat_args.h). */
#define COMPAT_ARGS_ZERO 7
#define COMPAT_ARGS_IN_STRUCT (1 << 24)

#define RETURNED_CALLS 10240	/* under way at the same time */

struct returned {
	__s64 ret;
	__u64 duration_ns;
	__u64 args[CALL_ARGS];	/* of a system call the first SYSCALL_ARGS_MAX */
	union {
		__u64 begun_ns;
		__u64 registers;	/* of a function, once it has returned: the address of its struct pt_regs */
	};
};

/* Which call: a task's, of an event of the command line, at a place of the task's stack (of system calls 0: a task makes one at a time). */
struct returned_key {
	__u64 task;
	__u32 event;
	__u32 frame;
};

#endif
