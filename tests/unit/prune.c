/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lib/gen/prune: a program without what its constants rule out does what it did.  Programs by hand, and some made at random, which an
 * interpreter runs both ways, with the same constants.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/gen/prune.h"

#include "check.h"

#define CONSTANTS_FD 7
#define ROOM 200
#define STEPS 2000	/* of a run: a random loop may have no end */
#define INSN(c, d, s, o, i) ((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) })
#define MOV(d, i) INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define CALL(o) INSN(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, o)
#define EXIT INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define ADDRESS(d, o) INSN(BPF_LD | BPF_IMM | BPF_DW, d, BPF_PSEUDO_MAP_VALUE, 0, CONSTANTS_FD), INSN(0, 0, 0, 0, o)
#define LOAD(d, s, o) INSN(BPF_LDX | BPF_MEM | BPF_W, d, s, o, 0)

/* Number 0 is 0, number 1 is 1, 2 has its upper bit set. */
static const uint32_t numbers[4] = { 0, 1, 0x80000002, 77 };

static const void *constants(void *context, int fd, uint32_t *size)
{
	(void)context;
	*size = sizeof(numbers);
	return fd == CONSTANTS_FD ? numbers : NULL;
}

/* ---- the interpreter: r1 is the input, the machine has no memory but the constants */

static bool run(const struct bpf_insn *insns, size_t count, uint64_t input, uint64_t *result)
{
	uint64_t r[11] = { [1] = input }, stack[8][11], from;
	size_t at = 0, back[8], depth = 0;

	for (int step = 0; step < STEPS; step++) {
		const struct bpf_insn *insn = &insns[at];
		uint64_t *dst = &r[insn->dst_reg], second = BPF_SRC(insn->code) == BPF_X ? r[insn->src_reg] : (uint64_t)(int64_t)insn->imm;
		bool jumps;

		if (at >= count) {
			check_report(false, __FILE__, __LINE__, "the program runs out of itself");
			return false;
		}
		at++;
		switch (insn->code) {
		case BPF_JMP | BPF_EXIT:
			*result = r[0];
			if (!depth)
				return true;
			depth--;
			memcpy(r + 6, stack[depth] + 6, sizeof(*r) * 4);
			r[0] = *result;
			at = back[depth];
			continue;
		case BPF_JMP | BPF_CALL:
			if (insn->src_reg == BPF_PSEUDO_CALL) {
				if (depth == 8)
					return false;
				memcpy(stack[depth], r, sizeof(r));
				back[depth++] = at;
				at += insn->imm;
			} else {
				/* a helper: a number of its arguments */
				r[0] = r[1] * 31 + r[2] * 7 + insn->imm;
				memset(r + 1, 0x55, sizeof(*r) * 5);
			}
			continue;
		case BPF_JMP | BPF_JA: at += insn->off; continue;
		case BPF_JMP32 | BPF_JA: at += insn->imm; continue;
		case BPF_LD | BPF_IMM | BPF_DW:
			second = (uint64_t)(uint32_t)insn[1].imm;
			*dst = insn->src_reg ? 0x1000 + second : (uint32_t)insn->imm | second << 32;
			at++;
			continue;
		case BPF_LDX | BPF_MEM | BPF_W:
			from = r[insn->src_reg] + insn->off - 0x1000;
			*dst = 0;
			if (from <= sizeof(numbers) - sizeof(*numbers))
				memcpy(dst, (const char *)numbers + from, sizeof(*numbers));
			continue;
		}
		switch (BPF_CLASS(insn->code)) {
		case BPF_ALU64:
		case BPF_ALU: {
			bool wide = BPF_CLASS(insn->code) == BPF_ALU64;
			uint64_t first = wide ? *dst : (uint32_t)*dst, value;

			second = wide ? second : (uint32_t)second;
			switch (BPF_OP(insn->code)) {
			case BPF_MOV: value = second; break;
			case BPF_ADD: value = first + second; break;
			case BPF_SUB: value = first - second; break;
			case BPF_AND: value = first & second; break;
			case BPF_OR: value = first | second; break;
			case BPF_XOR: value = first ^ second; break;
			case BPF_MUL: value = first * second; break;
			case BPF_LSH: value = first << (second & (wide ? 63 : 31)); break;
			case BPF_RSH: value = first >> (second & (wide ? 63 : 31)); break;
			case BPF_NEG: value = -first; break;
			default: value = wide ? (uint64_t)((int64_t)first >> (second & 63)) : (uint64_t)((int32_t)first >> (second & 31));
			}
			*dst = wide ? value : (uint32_t)value;
			continue;
		}
		default: {
			bool wide = BPF_CLASS(insn->code) == BPF_JMP;
			uint64_t a = wide ? *dst : (uint32_t)*dst, b = wide ? second : (uint32_t)second;
			int64_t c = wide ? (int64_t)a : (int32_t)a, d = wide ? (int64_t)b : (int32_t)b;

			switch (BPF_OP(insn->code)) {
			case BPF_JEQ: jumps = a == b; break;
			case BPF_JNE: jumps = a != b; break;
			case BPF_JGT: jumps = a > b; break;
			case BPF_JGE: jumps = a >= b; break;
			case BPF_JLT: jumps = a < b; break;
			case BPF_JLE: jumps = a <= b; break;
			case BPF_JSGT: jumps = c > d; break;
			case BPF_JSGE: jumps = c >= d; break;
			case BPF_JSLT: jumps = c < d; break;
			case BPF_JSLE: jumps = c <= d; break;
			default: jumps = a & b;
			}
			if (jumps)
				at += insn->off;
		}
		}
	}
	return false;
}

/* What the kernel's check of the ways wants: each instruction is reached, and no way leads out. */
static void check_reached(const struct bpf_insn *insns, size_t count, int line)
{
	bool reached[ROOM] = { true };
	size_t missing = 0;

	for (int pass = 0; pass < ROOM; pass++) {
		for (size_t at = 0; at < count; at++) {
			uint8_t class = BPF_CLASS(insns[at].code), op = BPF_OP(insns[at].code);
			bool jump = class == BPF_JMP || class == BPF_JMP32, wide = insns[at].code == (BPF_LD | BPF_IMM | BPF_DW);
			int64_t to = -1;

			if (!reached[at])
				continue;
			if (wide)
				reached[at + 1] = true;
			if (jump && op == BPF_CALL && insns[at].src_reg == BPF_PSEUDO_CALL)
				to = at + 1 + insns[at].imm;
			else if (jump && op != BPF_CALL && op != BPF_EXIT)
				to = at + 1 + (insns[at].code == (BPF_JMP32 | BPF_JA) ? insns[at].imm : insns[at].off);
			if (to >= 0 && to < (int64_t)count)
				reached[to] = true;
			if (!(jump && (op == BPF_EXIT || op == BPF_JA)) && at + 1 + wide < count)
				reached[at + 1 + wide] = true;
		}
	}
	for (size_t at = 0; at < count; at++)
		missing += !reached[at];
	check_report(!missing, __FILE__, line, "%zu of %zu instructions are not reached", missing, count);
}

/* Prunes it, and compares a few runs; returns how many instructions are left. */
static size_t prune(const struct bpf_insn *insns, size_t count, int line)
{
	struct prune_result pruned;
	size_t left;
	int err = prune__program(insns, count, constants, NULL, &pruned);

	check_report(!err, __FILE__, line, "error %d", err);
	if (err)
		return 0;
	check_report(pruned.count <= count, __FILE__, line, "%zu instructions of %zu", pruned.count, count);
	check_reached(pruned.insns, pruned.count, line);
	for (uint64_t input = 0; input < 6; input++) {
		uint64_t a = 0, b = 0;
		bool ends = run(insns, count, input * 0x100000001ull, &a);
		bool also = run(pruned.insns, pruned.count, input * 0x100000001ull, &b);

		/* of an endless loop the same number of steps may see the end of the shorter one */
		if (ends)
			check_report(also && a == b, __FILE__, line, "%llx, expected %llx", (unsigned long long)b, (unsigned long long)a);
	}
	left = pruned.count;
	free(pruned.insns);
	free(pruned.places);
	return left;
}

#define PRUNE(...) ({ \
	const struct bpf_insn insns[] = { __VA_ARGS__ }; \
	prune(insns, sizeof(insns) / sizeof(*insns), __LINE__); \
})

static void test_by_hand(void)
{
	/* what is not asked for, with the address and the load for the question */
	CHECK_INT(PRUNE(ADDRESS(2, 0), LOAD(2, 2, 0), INSN(BPF_JMP | BPF_JEQ | BPF_K, 2, 0, 2, 0), MOV(0, 5), EXIT, MOV(0, 6), EXIT), 2);
	/* what is */
	CHECK_INT(PRUNE(ADDRESS(2, 4), LOAD(2, 2, 0), INSN(BPF_JMP | BPF_JEQ | BPF_K, 2, 0, 2, 0), MOV(0, 5), EXIT, MOV(0, 6), EXIT), 2);
	/* the number itself is written where it is needed */
	CHECK_INT(PRUNE(ADDRESS(2, 8), LOAD(0, 2, 4), EXIT), 2);
	CHECK_INT(PRUNE(ADDRESS(2, 8), LOAD(0, 2, 0), EXIT), 2);
	/* behind the end of the constants, and before them: not known */
	CHECK_INT(PRUNE(ADDRESS(2, 16), LOAD(0, 2, 0), EXIT), 4);
	CHECK_INT(PRUNE(ADDRESS(2, 0), LOAD(0, 2, -4), EXIT), 4);
	/* a question about the input stays */
	CHECK_INT(PRUNE(INSN(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 2, 3), MOV(0, 5), EXIT, MOV(0, 6), EXIT), 5);
	/* known on one way, something else on the other one */
	CHECK_INT(PRUNE(MOV(3, 1), INSN(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 1, 0), MOV(3, 2), INSN(BPF_JMP | BPF_JEQ | BPF_K, 3, 0, 2, 1),
			  MOV(0, 5), EXIT, MOV(0, 6), EXIT), 8);
	/* a loop: what is known at its first turn is not at the second */
	CHECK_INT(PRUNE(MOV(3, 0), MOV(0, 0), INSN(BPF_ALU64 | BPF_ADD | BPF_K, 0, 0, 0, 2), INSN(BPF_ALU64 | BPF_ADD | BPF_K, 3, 0, 0, 1),
			  INSN(BPF_JMP | BPF_JLT | BPF_K, 3, 0, -3, 4), EXIT), 6);
	/* a function that is not called any more; the other one comes nearer */
	CHECK_INT(PRUNE(ADDRESS(2, 0), LOAD(2, 2, 0),
			  INSN(BPF_JMP | BPF_JEQ | BPF_K, 2, 0, 1, 0), CALL(3), MOV(2, 9), CALL(3), EXIT, MOV(0, 1), EXIT,
			  MOV(0, 2), EXIT), 5);
	/* a helper may read its arguments, and leaves nothing known */
	CHECK_INT(PRUNE(MOV(2, 9), INSN(BPF_JMP | BPF_CALL, 0, 0, 0, 5), INSN(BPF_JMP | BPF_JEQ | BPF_K, 2, 0, 1, 9), MOV(0, 6), EXIT), 5);
	/* the far jump of newer kernels */
	CHECK_INT(PRUNE(MOV(0, 1), INSN(BPF_JMP32 | BPF_JA, 0, 0, 0, 1), EXIT, MOV(0, 3), EXIT), 2);
}

static int error_of(const struct bpf_insn *insns, size_t count)
{
	struct prune_result pruned;

	return prune__program(insns, count, constants, NULL, &pruned);
}

static void test_refused(void)
{
	struct bpf_insn out[] = { INSN(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 1, 0), EXIT };
	struct bpf_insn before[] = { INSN(BPF_JMP | BPF_JA, 0, 0, -2, 0), EXIT };
	struct bpf_insn call[] = { CALL(1), EXIT }, half[] = { INSN(BPF_LD | BPF_IMM | BPF_DW, 0, 0, 0, 0) };
	struct bpf_insn may[] = { INSN(BPF_JMP | 0xe0, 0, 0, 0, 0), EXIT };
	struct bpf_insn table[] = { INSN(BPF_JMP | BPF_JA | BPF_X, 1, 0, 0, 0), EXIT };
	struct bpf_insn far_register[] = { INSN(BPF_ALU64 | BPF_MOV | BPF_K, 12, 0, 0, 0), EXIT };

	CHECK_INT(error_of(out, 2), -EINVAL);
	CHECK_INT(error_of(before, 2), -EINVAL);
	CHECK_INT(error_of(call, 2), -EINVAL);
	CHECK_INT(error_of(half, 1), -EINVAL);
	CHECK_INT(error_of(far_register, 2), -EINVAL);
	CHECK_INT(error_of(out, 0), -EINVAL);
	CHECK_INT(error_of(may, 2), -ENOTSUP);
	CHECK_INT(error_of(table, 2), -ENOTSUP);
}

/* ---- at random */

static uint64_t seed = 1;

static unsigned int any(unsigned int below)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned int)(seed >> 33) % below;
}

/* One of r0, and of r2 to r5. */
static int any_register(void)
{
	int number = (int)any(5);

	return number ? number + 1 : 0;
}

static size_t make(struct bpf_insn *insns)
{
	static const uint8_t operations[] = {
		BPF_MOV, BPF_ADD, BPF_SUB, BPF_AND, BPF_OR, BPF_XOR, BPF_MUL, BPF_LSH, BPF_RSH, BPF_ARSH, BPF_NEG,
	};
	static const uint8_t questions[] = {
		BPF_JEQ, BPF_JNE, BPF_JGT, BPF_JGE, BPF_JLT, BPF_JLE, BPF_JSGT, BPF_JSGE, BPF_JSLT, BPF_JSLE, BPF_JSET,
	};
	size_t count = 0, length = 10 + any(60), starts[ROOM], lines = 0;

	for (int i = 0; i < 6; i++)
		if (i != 1)
			insns[count++] = MOV(i, (int)any(4));
	while (count < length) {
		uint8_t source = any(2) ? BPF_X : BPF_K;

		starts[lines++] = count;
		switch (any(6)) {
		case 0:
			insns[count++] = INSN(BPF_LD | BPF_IMM | BPF_DW, any_register(), 0, 0, (int)any(4));
			insns[count++] = INSN(0, 0, 0, 0, (int)any(2));
			break;
		case 1: {
			int address = any_register();

			insns[count++] = INSN(BPF_LD | BPF_IMM | BPF_DW, address, BPF_PSEUDO_MAP_VALUE, 0, CONSTANTS_FD);
			insns[count++] = INSN(0, 0, 0, 0, 4 * (int)any(5));
			insns[count++] = LOAD(any_register(), address, 0);
			break;
		}
		case 2: insns[count++] = INSN(BPF_JMP | BPF_CALL, 0, 0, 0, (int)any(9)); break;
		case 3:
			insns[count++] = INSN((any(2) ? BPF_ALU64 : BPF_ALU) | operations[any(sizeof(operations))] | source, any_register(),
				any(6) ? any_register() : 1, 0, (int)any(5) - 1);
			if (BPF_OP(insns[count - 1].code) == BPF_NEG)
				insns[count - 1].code &= ~BPF_X;
			break;
		default:
			/* where to comes later */
			insns[count++] = INSN((any(2) ? BPF_JMP : BPF_JMP32) | questions[any(sizeof(questions))] | source, any_register(),
				any(6) ? any_register() : 1, 1, (int)any(5) - 1);
		}
	}
	starts[lines++] = count;
	insns[count++] = EXIT;
	for (size_t i = 0; i + 1 < lines; i++) {
		struct bpf_insn *insn = &insns[starts[i]];
		uint8_t class = BPF_CLASS(insn->code);

		if ((class == BPF_JMP || class == BPF_JMP32) && BPF_OP(insn->code) != BPF_CALL)
			/* back only rarely */
			insn->off = (int)starts[any(9) ? i + 1 + any(lines - i - 1) : any(lines)] - (int)starts[i] - 1;
	}
	return count;
}

static void test_random(void)
{
	size_t before = 0, left = 0;

	for (int i = 0; i < 5000; i++) {
		struct bpf_insn insns[ROOM];
		size_t count = make(insns);

		before += count;
		left += prune(insns, count, __LINE__);
	}
	check_report(left < before * 3 / 4, __FILE__, __LINE__, "%zu of %zu instructions are left", left, before);
}

int main(void)
{
	test_by_hand();
	test_refused();
	test_random();
	return check_done();
}
