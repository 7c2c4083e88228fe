/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a name in a filter or a key means: a field of the event, or a value of the task that runs: pid, tid, uid, cpu and comm.
 * Where an event has a field of that name (sched_wakeup has comm), the name means the field; the names in capital letters always
 * mean the task.
 */
#ifndef PROBELIGHT_OPERAND_H
#define PROBELIGHT_OPERAND_H

#include <stdbool.h>
#include <stddef.h>

#include "emit.h"
#include "lib/format/ctx.h"
#include "lib/print/fault.h"

enum operand_kind {
	OPERAND_NUMBER,		/* in the context */
	OPERAND_ARRAY,		/* char name[16], in the context */
	OPERAND_DYNAMIC,	/* a text behind a __data_loc or __rel_loc */
	OPERAND_POINTER,	/* a text in memory, behind a field's hops */
	OPERAND_PID, OPERAND_TID, OPERAND_UID, OPERAND_CPU,
	OPERAND_COMM,
};

/* Bytes of the task's name, TASK_COMM_LEN. */
#define OPERAND_COMM_SIZE 16

struct operand {
	enum operand_kind kind;
	const struct format_field *field;	/* of the first four kinds */
	/* of NUMBER, which is in memory if the field has hops; else only the offset, of the array, the u32 that says where, the pointer */
	struct ctx_number number;
};

/* What the instructions of an operand use besides. */
struct operand_frame {
	int ctx, id;		/* registers: the context, and the task's pid << 32 | tid */
	int slot;		/* 8 bytes of the stack, at r10 + slot; of fields with hops */
	emit_label fault;	/* where to go, with -errno in r0, if memory cannot be read; the same */
};

/* 0; -EINVAL with one line in fault: there is no such name, or it is neither a number nor a text. */
int operand__find(struct operand *operand, const struct format *format, const char *name, struct fault *fault);

/* Whether a name that no field has means a value of the task. */
bool operand__is_task_name(const char *name);

bool operand__is_text(const struct operand *operand);

/* The most bytes that the text can have, without its 0 byte; 0: that is not known. */
unsigned int operand__text_max(const struct operand *operand);

/* Whether it is a number of 64 bits without sign. */
bool operand__is_unsigned(const struct operand *operand);

/* Of a number: how many bits its values have; those of a bit field, or of its bytes. */
unsigned int operand__bits(const struct operand *operand);

/* Whether loading it takes one register only, and no call. */
bool operand__is_simple(const struct operand *operand);

/* Whether the value is in memory, which may not be readable. */
bool operand__may_fault(const struct operand *operand);

/*
 * Writes reg = the number, 64 bits with its sign.  What is not simple goes to r0, whatever reg is, and clobbers r1 to r5.
 */
void operand__load(struct emit *emit, int reg, const struct operand *operand, const struct operand_frame *frame);

/* Writes r3 = the address of the text, for a helper to read.  Not of COMM.  Clobbers r1, of POINTER r0 to r5. */
void operand__point(struct emit *emit, const struct operand *operand, const struct operand_frame *frame);

/* Reads it to r1, at most r2 bytes; r0: -errno, or of texts (up to the 0 byte) how many it has. */
void operand__read(struct emit *emit, const struct operand *operand, bool as_text);

#endif
