/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the tests of lib/gen need of a kernel: a small verifier, and a machine that runs the instructions.
 *
 * The verifier knows straight-line code only (all jumps go forward), so one pass from top to bottom sees every way.  It wants what
 * the kernel's wants: nothing unreachable, nothing read before it is written, aligned accesses within the context and the stack.
 */
#ifndef BPF_MACHINE_H
#define BPF_MACHINE_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MACHINE_STACK 512
#define MACHINE_INSNS 40000

/* MOVED: a pointer to somewhere in the context or the copy, for helpers only. */
enum machine_type { NOTHING, SCALAR, CTX, STACK, COPY, MOVED };

struct machine_state {
	bool is_reached;
	unsigned char types[11];
	int offsets[11];			/* of STACK */
	bool stack[MACHINE_STACK];		/* bytes that were written */
};

static struct machine_state machine_states[MACHINE_INSNS];

/* The state behind an instruction comes to another one. */
static void machine_merge(size_t at, const struct machine_state *state)
{
	struct machine_state *to = &machine_states[at];

	if (!to->is_reached) {
		*to = *state;
		to->is_reached = true;
		return;
	}
	for (int i = 0; i < 11; i++)
		if (to->types[i] != state->types[i] || (to->types[i] == STACK && to->offsets[i] != state->offsets[i]))
			to->types[i] = NOTHING;
	for (int i = 0; i < MACHINE_STACK; i++)
		to->stack[i] &= state->stack[i];
}

static int machine_size(const struct bpf_insn *insn)
{
	int bits = BPF_SIZE(insn->code);

	return bits == BPF_B ? 1 : bits == BPF_H ? 2 : bits == BPF_W ? 4 : 8;
}

static const char *machine_access(struct machine_state *state, int base, int offset, int size, bool writes, int ctx_end, int copy_size)
{
	int at;

	switch (state->types[base]) {
	case CTX:
		return writes || offset < 8 || offset + size > ctx_end || offset % size ? "an access of the context" : NULL;
	case COPY:
		/* only the first word, which a key has its task in, may be read */
		return (writes ? offset < 8 : offset || size != 8) || offset + size > copy_size || offset % size ? "an access of the copy" : NULL;
	case STACK:
		at = state->offsets[base] + offset;
		if (at < -MACHINE_STACK || at + size > 0 || at % size)
			return "an access of the stack";
		for (int i = at; i < at + size; i++) {
			if (!writes && !state->stack[MACHINE_STACK + i])
				return "stack that was not written";
			state->stack[MACHINE_STACK + i] = true;
		}
		return NULL;
	default:
		return "an access by a register that is no pointer";
	}
}

static const char *machine_call(struct machine_state *state, int helper)
{
	switch (helper) {
	case BPF_FUNC_probe_read_kernel:
	case BPF_FUNC_probe_read_kernel_str:
		if ((state->types[1] != STACK && state->types[1] != MOVED) || state->types[2] != SCALAR || state->types[3] == NOTHING)
			return "arguments of probe_read";
		break;
	case BPF_FUNC_get_current_comm:
		if ((state->types[1] != STACK && state->types[1] != MOVED) || state->types[2] != SCALAR)
			return "arguments of get_current_comm";
		break;
	case BPF_FUNC_get_current_uid_gid:
	case BPF_FUNC_get_smp_processor_id:
		break;
	default:
		return "a helper";
	}
	/* how much is written the machine sees; here all from there on */
	if (state->types[1] == STACK && helper != BPF_FUNC_get_current_uid_gid && helper != BPF_FUNC_get_smp_processor_id)
		for (int i = state->offsets[1]; i < 0; i++)
			state->stack[MACHINE_STACK + i] = true;
	for (int i = 1; i <= 5; i++)
		state->types[i] = NOTHING;
	state->types[0] = SCALAR;
	return NULL;
}

/* What is wrong with a function of two arguments, and *where; NULL: nothing. */
static const char *machine_verify(const struct bpf_insn *insns, size_t count, enum machine_type second, int ctx_end, int copy_size,
				  size_t *where)
{
	struct machine_state first = { .types = { [1] = CTX, [2] = (unsigned char)second, [10] = STACK } };

	*where = count;
	if (!count || count > MACHINE_INSNS)
		return "the number of instructions";
	for (size_t i = 0; i < count; i++)
		machine_states[i].is_reached = false;
	machine_merge(0, &first);
	for (size_t i = 0; i < count; i++) {
		const struct bpf_insn *insn = &insns[i];
		struct machine_state state = machine_states[i];
		int class = BPF_CLASS(insn->code), operation = BPF_OP(insn->code), to = insn->dst_reg, from = insn->src_reg;
		const char *why = NULL;
		size_t next = i + 1;

		*where = i;
		if (!state.is_reached)
			return "an instruction that nothing reaches";
		if (to > 10 || from > 10)
			return "a register";
		switch (class) {
		case BPF_LD:
			if (insn->code != (BPF_LD | BPF_IMM | BPF_DW) || i + 1 >= count || insns[i + 1].code)
				return "an instruction";
			state.types[to] = SCALAR;
			next = i + 2;
			machine_states[i + 1].is_reached = true;
			break;
		case BPF_LDX:
			why = machine_access(&state, from, insn->off, machine_size(insn), false, ctx_end, copy_size);
			state.types[to] = SCALAR;
			break;
		case BPF_STX:
			if (state.types[from] != SCALAR)
				return "a store of what is no number";
			why = machine_access(&state, to, insn->off, machine_size(insn), true, ctx_end, copy_size);
			break;
		case BPF_ALU64:
			if (to == 10 || (BPF_SRC(insn->code) == BPF_X && state.types[from] == NOTHING))
				return "an operand";
			if (operation == BPF_MOV) {
				state.types[to] = BPF_SRC(insn->code) == BPF_X ? state.types[from] : SCALAR;
				state.offsets[to] = state.offsets[from];
				break;
			}
			if (state.types[to] == NOTHING || (state.types[to] != SCALAR && operation != BPF_ADD))
				return "an operand";
			if (state.types[to] == STACK && BPF_SRC(insn->code) == BPF_K)
				state.offsets[to] += insn->imm;
			else if (state.types[to] != SCALAR)
				state.types[to] = MOVED;
			if ((operation == BPF_LSH || operation == BPF_RSH || operation == BPF_ARSH) &&
			    (BPF_SRC(insn->code) != BPF_K || insn->imm < 0 || insn->imm > 63))
				return "a shift";
			break;
		case BPF_JMP:
			if (operation == BPF_EXIT) {
				if (state.types[0] != SCALAR)
					return "no result";
				continue;
			}
			if (operation == BPF_CALL) {
				why = machine_call(&state, insn->imm);
				break;
			}
			if (insn->off < 0 || i + 1 + (size_t)insn->off >= count)
				return "a jump";
			if (operation != BPF_JA && (state.types[to] != SCALAR ||
						    (BPF_SRC(insn->code) == BPF_X && state.types[from] != SCALAR)))
				return "a comparison";
			machine_merge(i + 1 + (size_t)insn->off, &state);
			if (operation == BPF_JA)
				continue;
			break;
		default:
			return "an instruction";
		}
		if (why)
			return why;
		if (next >= count)
			return "the end";
		machine_merge(next, &state);
		if (next == i + 2)
			i++;
	}
	return NULL;
}

/* What the helpers tell. */
struct machine {
	const char *ctx;
	size_t ctx_size;
	char *copy;		/* or NULL */
	size_t copy_size;
	char comm[16];
	uint32_t uid, cpu;
	const char *why;	/* what went wrong */
	uint64_t steps;
};

static bool machine_may(struct machine *machine, const char *stack, uint64_t at, size_t size, bool writes)
{
	uintptr_t start = (uintptr_t)at;

	if (start >= (uintptr_t)stack && start + size <= (uintptr_t)stack + MACHINE_STACK)
		return true;
	if (writes)
		return machine->copy && start >= (uintptr_t)machine->copy + 8 &&
		       start + size <= (uintptr_t)machine->copy + machine->copy_size;
	if (machine->copy && start == (uintptr_t)machine->copy && size == 8)
		return true;
	return start >= (uintptr_t)machine->ctx + 8 && start + size <= (uintptr_t)machine->ctx + machine->ctx_size;
}

static uint64_t machine_help(struct machine *machine, int helper, const uint64_t *reg, char *stack)
{
	char *to = (char *)(uintptr_t)reg[1];
	const char *from = (const char *)(uintptr_t)reg[3];
	size_t size = reg[2], length;

	switch (helper) {
	case BPF_FUNC_get_current_uid_gid:
		return (uint64_t)7 << 32 | machine->uid;
	case BPF_FUNC_get_smp_processor_id:
		return machine->cpu;
	case BPF_FUNC_get_current_comm:
		if (size != 16 || !machine_may(machine, stack, reg[1], 16, true))
			machine->why = "get_current_comm";
		else	/* padded with 0 bytes, on every kernel */
			strncpy(to, machine->comm, 16);
		return 0;
	case BPF_FUNC_probe_read_kernel:
		if (!machine_may(machine, stack, reg[1], size, true)) {
			machine->why = "probe_read_kernel";
			return 0;
		}
		/* memory beyond the record is somebody's, too */
		memset(to, 'z', size);
		for (length = 0; length < size && machine_may(machine, stack, reg[3] + length, 1, false); length++)
			to[length] = from[length];
		return 0;
	case BPF_FUNC_probe_read_kernel_str:
		if (!size || !machine_may(machine, stack, reg[1], size, true)) {
			machine->why = "probe_read_kernel_str";
			return 0;
		}
		/* as the kernel: behind the 0 byte nothing is written */
		for (length = 0; length < size - 1 && machine_may(machine, stack, reg[3] + length, 1, false) && from[length]; length++)
			to[length] = from[length];
		to[length] = 0;
		return length + 1;
	}
	machine->why = "a helper";
	return 0;
}

/* Runs the function.  What it returns. */
static uint64_t machine_run(struct machine *machine, const struct bpf_insn *insns, size_t count, uint64_t second)
{
	char stack[MACHINE_STACK] __attribute__((aligned(8)));
	uint64_t reg[11] = { [1] = (uintptr_t)machine->ctx, [2] = second, [10] = (uintptr_t)(stack + MACHINE_STACK) };

	memset(stack, 'y', sizeof(stack));
	for (size_t i = 0; i < count && !machine->why; i++, machine->steps++) {
		const struct bpf_insn *insn = &insns[i];
		uint64_t *to = &reg[insn->dst_reg], from = reg[insn->src_reg];
		uint64_t operand = BPF_SRC(insn->code) == BPF_X ? from : (uint64_t)(int64_t)insn->imm;
		bool jumps = false;

		switch (BPF_CLASS(insn->code)) {
		case BPF_LD:
			*to = (uint32_t)insn->imm | (uint64_t)(uint32_t)insns[i + 1].imm << 32;
			i++;
			break;
		case BPF_LDX:
			if (!machine_may(machine, stack, from + (uint64_t)(int64_t)insn->off, (size_t)machine_size(insn), false)) {
				machine->why = "a load";
				break;
			}
			*to = 0;
			memcpy(to, (char *)(uintptr_t)from + insn->off, (size_t)machine_size(insn));
			break;
		case BPF_STX:
			if (!machine_may(machine, stack, *to + (uint64_t)(int64_t)insn->off, (size_t)machine_size(insn), true)) {
				machine->why = "a store";
				break;
			}
			memcpy((char *)(uintptr_t)*to + insn->off, &from, (size_t)machine_size(insn));
			break;
		case BPF_ALU64:
			switch (BPF_OP(insn->code)) {
			case BPF_MOV: *to = operand; break;
			case BPF_ADD: *to += operand; break;
			case BPF_AND: *to &= operand; break;
			case BPF_LSH: *to <<= operand; break;
			case BPF_RSH: *to >>= operand; break;
			case BPF_ARSH: *to = (uint64_t)((int64_t)*to >> operand); break;
			default: machine->why = "an operation";
			}
			break;
		default:
			switch (BPF_OP(insn->code)) {
			case BPF_EXIT: return reg[0];
			case BPF_CALL:
				reg[0] = machine_help(machine, insn->imm, reg, stack);
				for (int r = 1; r <= 5; r++)
					reg[r] = 0x5555;
				break;
			case BPF_JA: jumps = true; break;
			case BPF_JEQ: jumps = *to == operand; break;
			case BPF_JNE: jumps = *to != operand; break;
			case BPF_JLT: jumps = *to < operand; break;
			case BPF_JLE: jumps = *to <= operand; break;
			case BPF_JGT: jumps = *to > operand; break;
			case BPF_JGE: jumps = *to >= operand; break;
			case BPF_JSLT: jumps = (int64_t)*to < (int64_t)operand; break;
			case BPF_JSLE: jumps = (int64_t)*to <= (int64_t)operand; break;
			case BPF_JSGT: jumps = (int64_t)*to > (int64_t)operand; break;
			case BPF_JSGE: jumps = (int64_t)*to >= (int64_t)operand; break;
			default: machine->why = "a jump";
			}
			i += jumps ? (size_t)insn->off : 0;
		}
	}
	machine->why = machine->why ? machine->why : "no end";
	return 0;
}

#endif
