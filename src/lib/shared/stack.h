/* SPDX-License-Identifier: BSD-2-Clause */
/* What the BPF programs and the user side share about stacks of calls.  A BPF program includes vmlinux.h before. */
#ifndef PROBELIGHT_STACK_H
#define PROBELIGHT_STACK_H

#include "event.h"
#include "task_key.h"

#define STACK_FRAMES_MAX 127	/* PERF_MAX_STACK_DEPTH, include/uapi/linux/perf_event.h; kernel.perf_event_max_stack may be smaller */

#define STACK_HASH_BLOCK 16		/* frames that are hashed at a time */
#define STACK_FRAMES_ROOM 128		/* whole blocks */

enum stack_kind {
	STACK_KERNEL,
	STACK_USER,
	STACK_KINDS,
};

/*
 * Which program a process executed when a user stack of it was taken: what every exec sets anew, as /proc/PID/stat shows it.  No two
 * execs have the same, because the stack begins at a random address; without random addresses two programs differ in the size of code.
 */
struct stack_program {
	__u64 code_end;			/* where its code ends; 0 in the middle of an exec: the addresses are the old program's */
	__u64 stack;			/* where its stack begins; 0: the program is not known */
};
#define STACK_IN_EXEC 1			/* in place of where the stack begins, in the middle of an exec */

/* A stack that the programs have not sent yet, or not for a while: a record of the ring buffer. */
struct stack_sent {
	__u64 hash;			/* of the frames, and of a user stack's process and name; never 0 */
	__u32 pid;			/* the process, in the caller's pid namespace; 0: of a kernel stack, or not in it */
	__u16 kind;			/* enum stack_kind */
	__u16 count;			/* of frames */
	struct stack_program program;	/* of a user stack; 0: not known */
	__u64 frames[STACK_FRAMES_ROOM];	/* addresses, the innermost first; only count of them are sent */
};

/* What is counted apart: the task and its two stacks; with --by what that asks for, in their place (lib/bpf/stack_key.bpf.h). */
struct stack_key {
	union {
		struct {
			__u64 hashes[STACK_KINDS];	/* 0: none */
			char comm[TASK_COMM_LEN];
			__u32 pid;		/* in the caller's pid namespace; 0: not in it, or an idle CPU */
			__u32 tag;		/* the tool's own: what else it counts apart; or 0.  Also with --by */
		};
		struct task_key task;		/* with --by; pid is 0 */
	};
};

/* What is counted of it. */
struct stack_value {
	__u64 count;
	__u64 ns;			/* 0 of what is no time */
};

/* The same of a tool that also keeps the longest time. */
struct stack_longest {
	struct stack_value value;	/* the first member: what lib/run/stack_report knows */
	__u64 max_ns;
};

/* Addresses of the kernel's code and their names, as printf's %pB of the kernel writes them. */
#define STACK_NAMES_BATCH 8		/* a call of the program more for each eight names; 64 were 0.5 million instructions more to load */
#define STACK_NAME_SIZE 128
struct stack_names {
	__u64 count;
	__u64 addresses[STACK_NAMES_BATCH];
	char names[STACK_NAMES_BATCH][STACK_NAME_SIZE];
};

#endif
