/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which program a process executes when its stack is taken: its addresses mean nothing to another one.  Include it after vmlinux.h.
 */
#ifndef PROBELIGHT_STACK_PROGRAM_BPF_H
#define PROBELIGHT_STACK_PROGRAM_BPF_H

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "lib/shared/stack.h"

/* The user side sets it (tool__tell_stack_programs()) where stacks of processes are wanted and the kernel has BTF; frozen at load. */
const volatile bool stack_programs_sent = false;

/* What is read of the kernel's structs (task.bpf.h says why not these themselves). */
struct mm_struct___program {
	unsigned long end_code;
	unsigned long start_stack;
} __attribute__((preserve_access_index));

struct task_struct___program {
	struct mm_struct___program *mm;
} __attribute__((preserve_access_index));

/*
 * Writes which program the current task executes; returns 0.  An exec first gives the task new memory, whose end_code is 0, then maps and
 * reads files.  It sets end_code last, and then goes to the new program without sleeping (load_elf_binary()).  So as long as end_code is 0
 * the task's registers are still those of the old program.
 *
 * A function of its own, so that lib/run leaves it out where there is no BTF.
 */
static __noinline int stack_program_read(struct stack_program *to)
{
	const struct task_struct___program *task = (const struct task_struct___program *)bpf_get_current_task();
	const struct mm_struct___program *mm = BPF_CORE_READ(task, mm);

	if (!to)
		return 0;
	to->code_end = BPF_CORE_READ(mm, end_code);
	to->stack = to->code_end ? BPF_CORE_READ(mm, start_stack) : STACK_IN_EXEC;
	return 0;
}

#endif
