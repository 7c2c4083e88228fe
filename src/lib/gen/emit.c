/* SPDX-License-Identifier: BSD-2-Clause */
#include "emit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NOWHERE SIZE_MAX

struct emit_target {
	size_t at;		/* index of an instruction, or NOWHERE */
	size_t uses;		/* jumps to it */
};

static bool is_jump(const struct bpf_insn *insn)
{
	unsigned int operation = BPF_OP(insn->code);

	return BPF_CLASS(insn->code) == BPF_JMP && operation != BPF_CALL && operation != BPF_EXIT;
}

emit_label emit__label(struct emit *emit)
{
	if (emit->labels_count == emit->labels_room) {
		size_t room = emit->labels_room ? 2 * emit->labels_room : 16;
		struct emit_target *targets = realloc(emit->targets, room * sizeof(*targets));

		if (!targets) {
			emit->err = emit->err ? emit->err : -ENOMEM;
			return 0;
		}
		emit->targets = targets;
		emit->labels_room = room;
	}
	emit->targets[emit->labels_count] = (struct emit_target){ .at = NOWHERE };
	return (emit_label)emit->labels_count++;
}

bool emit__is_used(const struct emit *emit, emit_label label)
{
	return !emit->err && emit->targets[label].uses;
}

/* Until emit__finish() the offset of a jump is the index of its label. */
static bool goes_to(const struct bpf_insn *insn, emit_label label)
{
	return insn->code == (BPF_JMP | BPF_JA) && insn->off == (__s16)label;
}

void emit__place(struct emit *emit, emit_label label)
{
	if (emit->err)
		return;
	if (emit->count && emit->placed_at != emit->count && goes_to(&emit->insns[emit->count - 1], label)) {
		emit->count--;
		emit->targets[label].uses--;
	}
	emit->targets[label].at = emit->count;
	emit->placed_at = emit->count;
}

void emit__insn(struct emit *emit, unsigned int code, int to, int from, int offset, int32_t number)
{
	if (!emit->err && emit->count == emit->room) {
		size_t room = emit->room ? 2 * emit->room : 64;
		struct bpf_insn *insns = room > 2 * EMIT_MAX ? NULL : realloc(emit->insns, room * sizeof(*insns));

		if (!insns) {
			emit->err = room > 2 * EMIT_MAX ? -E2BIG : -ENOMEM;
			return;
		}
		emit->insns = insns;
		emit->room = room;
	}
	if (emit->err)
		return;
	emit->insns[emit->count++] = (struct bpf_insn){ .code = (__u8)code, .dst_reg = (__u8)to & 15, .src_reg = (__u8)from & 15,
							.off = (__s16)offset, .imm = number };
}

void emit__set(struct emit *emit, int to, uint64_t number)
{
	if ((int64_t)number == (int32_t)number) {
		emit__insn(emit, BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, (int32_t)number);
		return;
	}
	emit__insn(emit, BPF_LD | BPF_IMM | BPF_DW, to, 0, 0, (int32_t)number);
	emit__insn(emit, 0, 0, 0, 0, (int32_t)(number >> 32));
}

void emit__copy(struct emit *emit, int to, int from)
{
	emit__insn(emit, BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0);
}

void emit__alu(struct emit *emit, unsigned int operation, int to, int32_t number)
{
	emit__insn(emit, BPF_ALU64 | operation | BPF_K, to, 0, 0, number);
}

void emit__alu_reg(struct emit *emit, unsigned int operation, int to, int from)
{
	emit__insn(emit, BPF_ALU64 | operation | BPF_X, to, from, 0, 0);
}

static unsigned int size_bits(unsigned int size)
{
	return size == 1 ? BPF_B : size == 2 ? BPF_H : size == 4 ? BPF_W : BPF_DW;
}

void emit__load(struct emit *emit, int to, int base, int offset, unsigned int size)
{
	emit__insn(emit, BPF_LDX | BPF_MEM | size_bits(size), to, base, offset, 0);
}

void emit__store(struct emit *emit, int base, int offset, int from, unsigned int size)
{
	emit__insn(emit, BPF_STX | BPF_MEM | size_bits(size), base, from, offset, 0);
}

void emit__extend(struct emit *emit, int reg, unsigned int size)
{
	if (size == 8)
		return;
	emit__alu(emit, BPF_LSH, reg, 64 - 8 * (int32_t)size);
	emit__alu(emit, BPF_ARSH, reg, 64 - 8 * (int32_t)size);
}

void emit__call(struct emit *emit, int helper)
{
	emit__insn(emit, BPF_JMP | BPF_CALL, 0, 0, 0, helper);
}

static void put_jump(struct emit *emit, unsigned int code, int reg, int other, int32_t number, emit_label label)
{
	if (label > EMIT_MAX)
		emit->err = emit->err ? emit->err : -E2BIG;
	if (emit->err)
		return;
	emit->targets[label].uses++;
	emit__insn(emit, code, reg, other, (int)label, number);
}

void emit__jump(struct emit *emit, unsigned int condition, int reg, int32_t number, emit_label label)
{
	put_jump(emit, BPF_JMP | condition | BPF_K, reg, 0, number, label);
}

void emit__jump_reg(struct emit *emit, unsigned int condition, int reg, int other, emit_label label)
{
	put_jump(emit, BPF_JMP | condition | BPF_X, reg, other, 0, label);
}

void emit__go(struct emit *emit, emit_label label)
{
	put_jump(emit, BPF_JMP | BPF_JA, 0, 0, 0, label);
}

void emit__return(struct emit *emit, int32_t number)
{
	emit__set(emit, BPF_REG_0, (uint64_t)(int64_t)number);
	emit__insn(emit, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

int emit__finish(struct emit *emit)
{
	if (!emit->err && emit->count > EMIT_MAX)
		emit->err = -E2BIG;
	for (size_t i = 0; !emit->err && i < emit->count; i++) {
		struct bpf_insn *insn = &emit->insns[i];
		size_t at;

		/* the second half of a number of 64 bits has code 0, which is no jump */
		if (!is_jump(insn))
			continue;
		at = emit->targets[insn->off].at;
		if (at == NOWHERE || at <= i || at > emit->count)
			emit->err = -EINVAL;
		insn->off = (__s16)(at - i - 1);
	}
	return emit->err;
}

void emit__free(struct emit *emit)
{
	free(emit->insns);
	free(emit->targets);
	*emit = (struct emit){};
}
