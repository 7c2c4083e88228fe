/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel stacks that the function tracer records with its option func_stack_trace: after the record of each call one of type
 * kernel_stack (function_stack_trace_call() in kernel/trace/trace_functions.c).  Where its fields are is read from the running kernel's
 * events/ftrace/kernel_stack/format.
 *
 * The kernel writes the two with interrupts off, and on 5.10 to 6.12 records no call of an NMI meanwhile.  So the stack of a call is the
 * next record of its CPU.  It also has the same context, as the kernel determines that once for both; a stack of another context is not
 * taken.
 */
#ifndef PROBELIGHT_FTRACE_STACK_RECORD_H
#define PROBELIGHT_FTRACE_STACK_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "page.h"

struct stack_layout {
	uint16_t type;		/* 0: it was not read */
	uint32_t size_min;	/* bytes of a record without a frame */
	uint32_t count, frames;
	uint32_t flags, preempt_count, tid;	/* the common fields, in the same place in each record */
};

/* Which task a record is of, and what the CPU was doing: interrupts off, in an interrupt, in an NMI, preemption off. */
struct record_context {
	uint32_t tid;
	uint8_t flags, preempt_count;
};

/* 0, -EINVAL where a field is not there or has another size, or -errno of reading the file. */
int stack_layout__read(struct stack_layout *layout);

/* The context of any record; of one that is too short for the common fields all zeroes. */
struct record_context record_context__of(const struct stack_layout *layout, const struct page_record *record);
bool record_context__is_same(const struct record_context *one, const struct record_context *other);

/*
 * The addresses in the record of a function's call: where the function called the tracer, where it returns to, and so on, at most `most`.
 * What is before these in the record is the tracer's own code: its trampoline, and with set_ftrace_pid another function; how much differs
 * between kernels.  Returns how many; 0: the record is too short, or the function is not on the stack, which is another call's then.
 */
size_t stack_record__frames(const struct stack_layout *layout, const struct page_record *record, uint64_t function, uint64_t *frames,
			    size_t most);

#endif
