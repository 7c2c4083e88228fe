/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the instructions of a BPF program, with labels to jump to.
 *
 *	struct emit emit = {};
 *	emit_label no = emit__label(&emit);
 *
 *	emit__load(&emit, BPF_REG_0, BPF_REG_1, 16, 4);		r0 = *(u32 *)(r1 + 16)
 *	emit__jump(&emit, BPF_JNE, BPF_REG_0, 7, no);
 *	...
 *	emit__place(&emit, no);
 *	emit__return(&emit, 0);
 *	err = emit__finish(&emit);				emit.insns, emit.count
 *	emit__free(&emit);
 *
 * Jumps go forward only, so a program has no loop.  A label behind the last instruction is where what follows begins, if the
 * instructions become a part of a program.  The first error sticks, and emit__finish() gives it.
 */
#ifndef PROBELIGHT_EMIT_H
#define PROBELIGHT_EMIT_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Instructions; more than a jump can reach over (its distance has 16 bits). */
#define EMIT_MAX 32000

typedef unsigned int emit_label;

struct emit_target;

struct emit {
	struct bpf_insn *insns;
	size_t count;
	int err;			/* 0, -ENOMEM, -E2BIG: more than EMIT_MAX, -EINVAL: a label is missing or lies behind */

	/* the rest is emit.c's */
	size_t room;
	struct emit_target *targets;	/* of the labels */
	size_t labels_count, labels_room;
	size_t placed_at;		/* where a label was placed last */
};

/* A new label, to be placed once. */
emit_label emit__label(struct emit *emit);

/* The label stands for the next instruction.  Drops a jump to it that stands directly before. */
void emit__place(struct emit *emit, emit_label label);

/* Whether a jump to the label has been written.  What stands behind a jump and is not jumped to makes the verifier refuse a program. */
bool emit__is_used(const struct emit *emit, emit_label label);

/* One instruction as the kernel has it. */
void emit__insn(struct emit *emit, unsigned int code, int to, int from, int offset, int32_t number);

/* to = number; two instructions where it has more than 32 bits. */
void emit__set(struct emit *emit, int to, uint64_t number);
void emit__copy(struct emit *emit, int to, int from);

/* operation: BPF_ADD, BPF_AND, BPF_RSH and so on, of 64 bits. */
void emit__alu(struct emit *emit, unsigned int operation, int to, int32_t number);
void emit__alu_reg(struct emit *emit, unsigned int operation, int to, int from);

/* size: bytes, 1, 2, 4 or 8; the rest of the register becomes 0. */
void emit__load(struct emit *emit, int to, int base, int offset, unsigned int size);
void emit__store(struct emit *emit, int base, int offset, int from, unsigned int size);

/* Makes the register's lowest size bytes, a signed number, a number of 64 bits. */
void emit__extend(struct emit *emit, int reg, unsigned int size);

/* helper: BPF_FUNC_…; its arguments are in r1 to r5, which it clobbers, its result is in r0. */
void emit__call(struct emit *emit, int helper);

/* Jumps to label if the condition (BPF_JEQ, BPF_JSGT …) holds between 64 bits of reg and number, or another register. */
void emit__jump(struct emit *emit, unsigned int condition, int reg, int32_t number, emit_label label);
void emit__jump_reg(struct emit *emit, unsigned int condition, int reg, int other, emit_label label);
void emit__go(struct emit *emit, emit_label label);

/* return number; */
void emit__return(struct emit *emit, int32_t number);

/* Fills the jumps in.  0 or the first error. */
int emit__finish(struct emit *emit);
void emit__free(struct emit *emit);

#endif
