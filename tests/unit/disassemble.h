/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions as text, as tests of generated code expect them. */
#ifndef DISASSEMBLE_H
#define DISASSEMBLE_H

#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>

static const char *const conditions[16] = { "", "==", ">", ">=", "&", "!=", "s>", "s>=", "", "", "<", "<=", "s<", "s<=" };

/* Bits of an access. */
static int access_bits(const struct bpf_insn *insn)
{
	switch (BPF_SIZE(insn->code)) {
	case BPF_B:
		return 8;
	case BPF_H:
		return 16;
	case BPF_W:
		return 32;
	default:
		return 64;
	}
}

static char *disassemble(const struct bpf_insn *insns, size_t count, char *to)
{
	char *start = to;

	for (size_t i = 0; i < count; i++) {
		const struct bpf_insn *insn = &insns[i];
		const char *operation = BPF_OP(insn->code) == BPF_MOV ? "=" : BPF_OP(insn->code) == BPF_ADD ? "+=" :
					BPF_OP(insn->code) == BPF_AND ? "&=" : BPF_OP(insn->code) == BPF_LSH ? "<<=" :
					BPF_OP(insn->code) == BPF_RSH ? ">>=" : "s>>=";
		char operand[16];

		sprintf(operand, BPF_SRC(insn->code) == BPF_X ? "r%d" : "%d", BPF_SRC(insn->code) == BPF_X ? insn->src_reg : insn->imm);
		to += sprintf(to, "%s", i ? "; " : "");
		switch (BPF_CLASS(insn->code)) {
		case BPF_LD:
			to += sprintf(to, "r%d = %#llx", insn->dst_reg,
				      (unsigned long long)(uint32_t)insn->imm | (unsigned long long)(uint32_t)insn[1].imm << 32);
			i++;
			break;
		case BPF_LDX:
			to += sprintf(to, "r%d = u%d[r%d%+d]", insn->dst_reg, access_bits(insn), insn->src_reg, insn->off);
			break;
		case BPF_STX:
			to += sprintf(to, "u%d[r%d%+d] = r%d", access_bits(insn), insn->dst_reg, insn->off, insn->src_reg);
			break;
		case BPF_ALU64:
			to += sprintf(to, "r%d %s %s", insn->dst_reg, operation, operand);
			break;
		default:
			if (BPF_OP(insn->code) == BPF_EXIT)
				to += sprintf(to, "exit");
			else if (BPF_OP(insn->code) == BPF_CALL)
				to += sprintf(to, "call %d", insn->imm);
			else if (BPF_OP(insn->code) == BPF_JA)
				to += sprintf(to, "go +%d", insn->off);
			else
				to += sprintf(to, "if r%d %s %s go +%d", insn->dst_reg, conditions[BPF_OP(insn->code) >> 4], operand,
					      insn->off);
		}
	}
	return start;
}

#endif
