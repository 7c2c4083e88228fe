/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A filter on an event's fields as BPF instructions, a part of a program: the event's context is in r6 and the task's
 * pid << 32 | tid in r7 where they read that, the answer is in r0, 1 if the filter holds and else 0.  Clobbers r1 to r5, and the stack from
 * -CONDITION_STACK on.
 *
 * Names are those of the event's fields, and pid, tid, uid, cpu and comm of the task that runs.  Where an event has a field of
 * that name (sched_wakeup has comm), the name means the field; the names in capital letters always mean the task.
 *
 * A comparison with a value in memory that cannot be read does not hold.
 *
 * All is compared as numbers of 64 bits: unsigned if one side is a field of 8 bytes without sign, or a number of 2^63 or
 * more.
 */
#ifndef PROBELIGHT_CONDITION_H
#define PROBELIGHT_CONDITION_H

#include "emit.h"
#include "expr.h"
#include "lib/format/format.h"
#include "lib/print/fault.h"
#include "operand.h"

/* Bytes of a dynamic string that a pattern sees; of longer ones it sees the beginning. */
#define CONDITION_STRING_MAX 256

/* Bytes of the stack that are the program's own. */
#define CONDITION_STACK 64

/* Writes the instructions.  0; -EINVAL with *error: the filter does not fit the event; -ENOMEM, -E2BIG as of emit__finish(). */
int condition__emit(struct emit *emit, const struct expr *tree, const struct format *format, struct expr_error *error);

/*
 * Whether the right side of a comparison, or of "&", is a constant: a number, or a name that is no field's and that the event's print fmt
 * has for a value of the field on the left (vec == TIMER).
 */
bool condition__constant(const struct format *format, const struct expr *left, const struct expr *right, uint64_t *number);

/*
 * The number of the constant on the right of a comparison: beside an unsigned field of fewer bytes a negative one means that
 * field's bits, -1 is 0xffffffff.
 */
uint64_t condition__constant_beside(const struct operand *operand, const struct expr *right, uint64_t number);

/*
 * Whether a text can be what a comparison (==, != or ~) has on its right; else a line in fault.  A filter that no event can pass, or all
 * events pass, is a mistake.
 */
bool condition__may_be_text(const struct operand *operand, const struct expr *expr, struct fault *fault);

/*
 * The same for a constant on the right of a comparison, as condition__constant_beside() has it: the field may be too small for it.
 * A comparison that holds for all values of the field is refused only where the constant is none of these.
 */
bool condition__may_be_number(const struct operand *operand, const struct expr *expr, uint64_t number, struct fault *fault);

/* Whether the instructions of a filter read r7. */
bool condition__uses_id(const struct emit *emit);

/* The filter that always holds. */
int condition__emit_true(struct emit *emit);

#endif
