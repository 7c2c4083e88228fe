/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls among all that begin or return: instructions that tell by the call's number, and by whether it is a 32-bit call, which has
 * numbers of its own. The context is that of raw_syscalls:sys_enter or sys_exit.
 */
#ifndef PROBELIGHT_GEN_SYSCALL_H
#define PROBELIGHT_GEN_SYSCALL_H

#include "emit.h"
#include "lib/format/compat_mark.h"
#include "lib/format/syscall_format.h"
#include "lib/print/fault.h"
#include "lib/shared/returned.h"

/* Where the contexts have what. */
struct syscall_hooks {
	unsigned begin_number, begin_args;	/* of sys_enter: "id", "args" */
	unsigned end_number, end_ret;		/* of sys_exit: "id", "ret" */
	struct compat_mark mark;
};

/* Reads them from the running kernel. 0, or -errno with one line in fault. */
int syscall_hooks__read(struct syscall_hooks *places, struct fault *fault);

/*
 * Write the instructions, a part of a program: the context is in r6, the answer is in r0: 0 if it is another call, SYSCALL_OWN, or
 * SYSCALL_COMPAT for a 32-bit call, of whose arguments only the lower halves count. They clobber r1 to r5, and the stack from
 * -CONDITION_STACK on. 0 or as of emit__finish().
 *
 * That of a return answers SYSCALL_OWN and does not ask for the kind of call: a number may mean another call, and one that was seen to
 * begin tells.
 */
int syscall__emit_begins(struct emit *emit, const struct syscall_numbers *numbers, const struct syscall_hooks *places);
int syscall__emit_returns(struct emit *emit, const struct syscall_numbers *numbers, const struct syscall_hooks *places);

#endif
