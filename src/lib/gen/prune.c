/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Known values are followed forward from the start of each function (sparse conditional constant propagation: what is not reached with
 * what is known so far counts as not there).  A jump that is decided by them has one way on.  What is reached is kept, but for what only
 * computes a register that nobody reads.
 */
#include "prune.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { REGISTERS = BPF_REG_10 + 1, ARGUMENTS_END = BPF_REG_5 + 1 };

enum kind { UNKNOWN, NUMBER, CONSTANTS };

struct value {
	uint64_t number;	/* CONSTANTS: bytes behind the map's start */
	int map_fd;		/* CONSTANTS: of the map that it is an address in */
	uint8_t kind;
};

struct state {
	struct value registers[REGISTERS];
};

/* What a jump does. */
enum way { BOTH, FALLS, JUMPS };

struct place {
	uint32_t state;		/* 1 + the index of what is known where ways meet; 0: only the instruction before leads there */
	bool reached;
	bool kept;
	bool meets;		/* the state is set */
	bool known;		/* a load of this number */
	uint8_t way;
	uint16_t live;		/* registers that are read here or later */
	uint64_t number;
};

struct pruning {
	const struct bpf_insn *insns;
	size_t count;
	struct place *places;
	struct state *states;
	size_t states_size;
	prune_constants_fn *constants;
	void *context;
	bool again;		/* something changed before the place that the pass is at */
};

static bool is_wide(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_IMM | BPF_DW);
}

static bool is_jump_class(const struct bpf_insn *insn)
{
	return BPF_CLASS(insn->code) == BPF_JMP || BPF_CLASS(insn->code) == BPF_JMP32;
}

static bool is_always(const struct bpf_insn *insn)
{
	return is_jump_class(insn) && BPF_OP(insn->code) == BPF_JA;
}

static bool is_call(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL);
}

static bool is_exit(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_EXIT);
}

static bool is_conditional(const struct bpf_insn *insn)
{
	return is_jump_class(insn) && !is_always(insn) && !is_call(insn) && !is_exit(insn);
}

/* Jumps that newer kernels have: into tables and such that may be taken (BPF_JCOND, 6.10). */
static bool is_foreign(const struct bpf_insn *insn)
{
	return is_jump_class(insn) && (BPF_OP(insn->code) == 0xe0 || (is_always(insn) && BPF_SRC(insn->code) == BPF_X));
}

/* Where it leads, from the start of the program: a jump, or one that names a function. */
static int64_t target_of(const struct bpf_insn *insns, size_t at)
{
	const struct bpf_insn *insn = &insns[at];

	if (is_always(insn) || is_conditional(insn))
		return (int64_t)at + 1 + (insn->code == (BPF_JMP32 | BPF_JA) ? insn->imm : insn->off);
	if ((is_call(insn) && insn->src_reg == BPF_PSEUDO_CALL) || (is_wide(insn) && insn->src_reg == BPF_PSEUDO_FUNC))
		return (int64_t)at + 1 + insn->imm;
	return -1;
}

static bool names_function(const struct bpf_insn *insn)
{
	return is_call(insn) || is_wide(insn);
}

/* ---- values */

static bool same(const struct value *a, const struct value *b)
{
	return a->kind == b->kind && (a->kind == UNKNOWN || (a->number == b->number && (a->kind == NUMBER || a->map_fd == b->map_fd)));
}

/* The state comes to the place. */
static void meet(struct pruning *pruning, size_t from, size_t to, const struct state *state)
{
	struct place *place = &pruning->places[to];
	struct state *there = &pruning->states[place->state - 1];
	bool changed = !place->meets;

	if (!place->meets) {
		*there = *state;
		place->meets = true;
	} else {
		for (int i = 0; i < REGISTERS; i++) {
			if (there->registers[i].kind != UNKNOWN && !same(&there->registers[i], &state->registers[i])) {
				there->registers[i].kind = UNKNOWN;
				changed = true;
			}
		}
	}
	if (changed && to <= from)
		pruning->again = true;
}

/* A function is called, by whom and with what is not followed. */
static void meet_start(struct pruning *pruning, size_t from, size_t to)
{
	static const struct state nothing;

	meet(pruning, from, to, &nothing);
}

/* A number of the map that the base points into, if it is one. */
static struct value load(struct pruning *pruning, const struct bpf_insn *insn, const struct value *base)
{
	struct value value = { .kind = UNKNOWN };
	int64_t at = (int64_t)base->number + insn->off;
	const char *bytes;
	uint32_t size;
	union { uint8_t b; uint16_t h; uint32_t w; uint64_t dw; } number;
	size_t width;

	if (base->kind != CONSTANTS || BPF_MODE(insn->code) != BPF_MEM)
		return value;
	switch (BPF_SIZE(insn->code)) {
	case BPF_B: width = sizeof(number.b); break;
	case BPF_H: width = sizeof(number.h); break;
	case BPF_W: width = sizeof(number.w); break;
	default: width = sizeof(number.dw);
	}
	bytes = pruning->constants(pruning->context, base->map_fd, &size);
	if (!bytes || at < 0 || at + width > size)
		return value;
	memcpy(&number, bytes + at, width);
	value.kind = NUMBER;
	value.number = width == sizeof(number.b) ? number.b :
		width == sizeof(number.h) ? number.h :
		width == sizeof(number.w) ? number.w : number.dw;
	return value;
}

/* Whether it has a result, which is put into *to. */
static bool calculate(uint8_t op, bool wide, uint64_t a, uint64_t b, uint64_t *to)
{
	uint64_t shift = b & (wide ? 63 : 31), result;

	if (!wide) {
		a = (uint32_t)a;
		b = (uint32_t)b;
	}
	switch (op) {
	case BPF_MOV: result = b; break;
	case BPF_ADD: result = a + b; break;
	case BPF_SUB: result = a - b; break;
	case BPF_MUL: result = a * b; break;
	case BPF_AND: result = a & b; break;
	case BPF_OR: result = a | b; break;
	case BPF_XOR: result = a ^ b; break;
	case BPF_LSH: result = a << shift; break;
	case BPF_RSH: result = a >> shift; break;
	case BPF_ARSH: result = wide ? (uint64_t)((int64_t)a >> shift) : (uint64_t)(int64_t)((int32_t)a >> shift); break;
	case BPF_NEG: result = -a; break;
	default: return false;
	}
	*to = wide ? result : (uint32_t)result;
	return true;
}

static struct value alu(const struct bpf_insn *insn, const struct state *state)
{
	const struct value *dst = &state->registers[insn->dst_reg], *src = &state->registers[insn->src_reg];
	bool wide = BPF_CLASS(insn->code) == BPF_ALU64, by_register = BPF_SRC(insn->code) == BPF_X;
	struct value second = { .kind = NUMBER, .number = (uint64_t)(int64_t)insn->imm }, result = { .kind = UNKNOWN };
	uint8_t op = BPF_OP(insn->code);

	/* with an offset: signed divisions, moves with a sign (6.6) or of address spaces; not followed, as are changes of byte order */
	if (insn->off || op == BPF_END)
		return result;
	if (by_register && op != BPF_NEG)
		second = *src;
	if (op == BPF_MOV && wide)
		return second;
	if (second.kind == NUMBER && !second.number && op == BPF_AND)
		return (struct value){ .kind = NUMBER };
	if (second.kind != NUMBER)
		return result;
	if (dst->kind == CONSTANTS && wide && (op == BPF_ADD || op == BPF_SUB)) {
		result = *dst;
		result.number += op == BPF_ADD ? second.number : -second.number;
	} else if ((dst->kind == NUMBER || op == BPF_MOV) && calculate(op, wide, dst->number, second.number, &result.number)) {
		result.kind = NUMBER;
	}
	return result;
}

static bool compare(uint8_t op, bool wide, uint64_t a, uint64_t b)
{
	int64_t c = wide ? (int64_t)a : (int32_t)a, d = wide ? (int64_t)b : (int32_t)b;

	if (!wide) {
		a = (uint32_t)a;
		b = (uint32_t)b;
	}
	switch (op) {
	case BPF_JEQ: return a == b;
	case BPF_JNE: return a != b;
	case BPF_JGT: return a > b;
	case BPF_JGE: return a >= b;
	case BPF_JLT: return a < b;
	case BPF_JLE: return a <= b;
	case BPF_JSGT: return c > d;
	case BPF_JSGE: return c >= d;
	case BPF_JSLT: return c < d;
	case BPF_JSLE: return c <= d;
	default: return a & b;	/* BPF_JSET; of others the program would not have come this far */
	}
}

static enum way way_of(const struct bpf_insn *insn, const struct state *state)
{
	const struct value *dst = &state->registers[insn->dst_reg], *src = &state->registers[insn->src_reg];
	bool by_register = BPF_SRC(insn->code) == BPF_X;
	uint64_t second;

	if (dst->kind != NUMBER || (by_register && src->kind != NUMBER))
		return BOTH;
	second = by_register ? src->number : (uint64_t)(int64_t)insn->imm;
	return compare(BPF_OP(insn->code), BPF_CLASS(insn->code) == BPF_JMP, dst->number, second) ? JUMPS : FALLS;
}

static void forget(struct state *state, int first, int end)
{
	for (int i = first; i < end; i++)
		state->registers[i].kind = UNKNOWN;
}

/* What is known behind an instruction that is no jump. */
static void step(struct pruning *pruning, size_t at, struct state *state)
{
	const struct bpf_insn *insn = &pruning->insns[at];
	struct place *place = &pruning->places[at];
	struct value *dst = &state->registers[insn->dst_reg];

	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		*dst = alu(insn, state);
		break;
	case BPF_LDX:
		*dst = load(pruning, insn, &state->registers[insn->src_reg]);
		place->known = dst->kind == NUMBER;
		place->number = dst->number;
		break;
	case BPF_LD:
		if (!is_wide(insn)) {
			forget(state, 0, ARGUMENTS_END);
			break;
		}
		*dst = (struct value){ .kind = UNKNOWN };
		if (!insn->src_reg)
			*dst = (struct value){ .kind = NUMBER, .number = (uint32_t)insn->imm | (uint64_t)(uint32_t)insn[1].imm << 32 };
		else if (insn->src_reg == BPF_PSEUDO_MAP_VALUE)
			*dst = (struct value){ .kind = CONSTANTS, .map_fd = insn->imm, .number = (uint32_t)insn[1].imm };
		break;
	case BPF_STX:
		/* an atomic operation may write the register that it stores, r0, or as a load the other one (6.15) */
		if (BPF_MODE(insn->code) != BPF_MEM) {
			forget(state, insn->src_reg, insn->src_reg + 1);
			forget(state, insn->dst_reg, insn->dst_reg + 1);
			forget(state, BPF_REG_0, BPF_REG_1);
		}
		break;
	}
}

/* ---- ways */

/* Goes through the program once, as far as is known. */
static void pass(struct pruning *pruning)
{
	struct state state = {};
	bool here = false;	/* the instruction before leads here */

	for (size_t at = 0, next; at < pruning->count; at = next) {
		const struct bpf_insn *insn = &pruning->insns[at];
		struct place *place = &pruning->places[at];
		int64_t target = target_of(pruning->insns, at);

		next = at + (is_wide(insn) ? 2 : 1);
		if (place->state) {
			if (here)
				meet(pruning, at - 1, at, &state);
			here = place->meets;
			if (here)
				state = pruning->states[place->state - 1];
		}
		if (!here)
			continue;
		place->reached = true;
		if (target >= 0 && names_function(insn))
			meet_start(pruning, at, target);
		if (is_call(insn)) {
			forget(&state, 0, ARGUMENTS_END);
		} else if (is_exit(insn)) {
			here = false;
		} else if (is_always(insn)) {
			meet(pruning, at, target, &state);
			here = false;
		} else if (is_conditional(insn)) {
			place->way = way_of(insn, &state);
			if (place->way != FALLS)
				meet(pruning, at, target, &state);
			here = place->way != JUMPS;
		} else {
			step(pruning, at, &state);
		}
	}
}

/* Zeroed room that is gone when it is freed: in the heap it would stay, 40 kB of each tool for as long as it runs.  NULL: no memory. */
static void *take_room(size_t size)
{
	void *room = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return room == MAP_FAILED ? NULL : room;
}

static void free_room(void *room, size_t size)
{
	if (room)
		munmap(room, size);
}

/* Marks where ways meet, and makes room for what is known there. */
static int mark(struct pruning *pruning)
{
	uint32_t states = 1;

	pruning->places[0].state = 1;
	for (size_t at = 0; at < pruning->count; at++) {
		const struct bpf_insn *insn = &pruning->insns[at];
		int64_t target = target_of(pruning->insns, at);

		if (is_foreign(insn))
			return -ENOTSUP;
		if (insn->dst_reg >= REGISTERS || (insn->src_reg >= REGISTERS && !is_wide(insn)))
			return -EINVAL;
		if (is_wide(insn) && at + 1 == pruning->count)
			return -EINVAL;
		if (target >= (int64_t)pruning->count || (target < 0 && (is_always(insn) || is_conditional(insn))))
			return -EINVAL;
		if (target >= 0 && !pruning->places[target].state)
			pruning->places[target].state = ++states;
		at += is_wide(insn);
	}
	pruning->states_size = states * sizeof(*pruning->states);
	pruning->states = take_room(pruning->states_size);
	return pruning->states ? 0 : -ENOMEM;
}

/* ---- what nobody reads */

static uint16_t bit(int number)
{
	return 1 << number;
}

/* A known number, as an instruction that has 32 bits for it can write it: *insn gets it.  Other numbers stay loads. */
static bool is_move(const struct pruning *pruning, size_t at, struct bpf_insn *insn)
{
	const struct place *place = &pruning->places[at];
	bool wide = place->number > UINT32_MAX;

	if (!place->known || (wide && (int64_t)place->number != (int32_t)place->number))
		return false;
	*insn = (struct bpf_insn){
		.code = (wide ? BPF_ALU64 : BPF_ALU) | BPF_MOV | BPF_K,
		.dst_reg = pruning->insns[at].dst_reg,
		.imm = (int32_t)place->number,
	};
	return true;
}

/* Whether it does nothing but to compute its register. */
static bool only_computes(const struct pruning *pruning, size_t at)
{
	const struct bpf_insn *insn = &pruning->insns[at];

	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64: return true;
	case BPF_LD: return is_wide(insn);
	case BPF_LDX: return pruning->places[at].known;
	default: return false;
	}
}

/* The registers that are read at the instruction or behind it, of those behind it. */
static uint16_t live_before(const struct pruning *pruning, size_t at, uint16_t live)
{
	const struct bpf_insn *insn = &pruning->insns[at];
	const uint16_t arguments = bit(ARGUMENTS_END) - bit(BPF_REG_1);
	uint16_t dst = bit(insn->dst_reg), src = bit(insn->src_reg);
	struct bpf_insn move;
	bool by_register;

	if (is_move(pruning, at, &move))
		return live & ~dst;
	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		if (BPF_OP(insn->code) == BPF_MOV)
			live &= ~dst;
		else
			live |= dst;
		by_register = BPF_SRC(insn->code) == BPF_X && BPF_OP(insn->code) != BPF_END && BPF_OP(insn->code) != BPF_NEG;
		return by_register ? live | src : live;
	case BPF_LDX:
		return (live & ~dst) | src;
	case BPF_LD:
		return is_wide(insn) ? live & ~dst : live | arguments | bit(BPF_REG_0) | bit(BPF_REG_6) | src;
	case BPF_ST:
		return live | dst;
	case BPF_STX:
		return live | dst | src | bit(BPF_REG_0);
	default:
		if (is_call(insn))
			return (live & ~bit(BPF_REG_0)) | arguments;
		if (is_exit(insn))
			return bit(BPF_REG_0);
		if (is_always(insn) || pruning->places[at].way != BOTH)
			return live;
		return live | dst | (BPF_SRC(insn->code) == BPF_X ? src : 0);
	}
}

/* The registers that are read behind an instruction that is reached. */
static uint16_t live_behind(const struct pruning *pruning, size_t at)
{
	const struct bpf_insn *insn = &pruning->insns[at];
	size_t next = at + (is_wide(insn) ? 2 : 1);
	const struct place *place = &pruning->places[at];
	uint16_t live = 0;

	if (is_exit(insn))
		return 0;
	if (is_always(insn) || (is_conditional(insn) && place->way != FALLS))
		live |= pruning->places[target_of(pruning->insns, at)].live;
	if (!is_always(insn) && !(is_conditional(insn) && place->way == JUMPS) && next < pruning->count)
		live |= pruning->places[next].live;
	return live;
}

/* From the end to the start, and again while a jump back brings something new. */
static void find_read(struct pruning *pruning)
{
	bool again;

	do {
		again = false;
		for (size_t at = pruning->count; at-- > 0;) {
			struct place *place = &pruning->places[at];
			uint16_t behind, live;

			if (!place->reached)
				continue;
			behind = live_behind(pruning, at);
			place->kept = !only_computes(pruning, at) || behind & bit(pruning->insns[at].dst_reg);
			live = place->kept ? live_before(pruning, at, behind) : behind;
			again |= live != place->live;
			place->live = live;
		}
	} while (again);
}

/* ---- the new program */

/* Jumps that lead to the next instruction that is kept are none. */
static void drop_jumps(struct pruning *pruning)
{
	size_t next_kept = pruning->count;

	for (size_t at = pruning->count; at-- > 0;) {
		struct place *place = &pruning->places[at];
		const struct bpf_insn *insn = &pruning->insns[at];
		bool jumps = is_always(insn) || (is_conditional(insn) && place->way == JUMPS);
		int64_t target;

		if (!place->kept)
			continue;
		target = target_of(pruning->insns, at);
		if (is_conditional(insn) && place->way == FALLS)
			place->kept = false;
		else if (jumps && target > (int64_t)at && target <= (int64_t)next_kept)
			place->kept = false;
		if (place->kept)
			next_kept = at;
	}
}

static void write(const struct pruning *pruning, struct prune_result *result)
{
	size_t count = 0;

	for (size_t at = 0; at < pruning->count; at++) {
		const struct place *place = &pruning->places[at];
		const struct bpf_insn *insn = &pruning->insns[at];
		struct bpf_insn *to = &result->insns[count];
		int64_t target = target_of(pruning->insns, at);

		if (place->kept) {
			memcpy(to, insn, sizeof(*to) * (is_wide(insn) ? 2 : 1));
			is_move(pruning, at, to);
			if (is_conditional(insn) && place->way == JUMPS)
				*to = (struct bpf_insn){ .code = BPF_JMP | BPF_JA };
			if (target >= 0) {
				int32_t distance = (int32_t)result->places[target] - (int32_t)count - 1;

				/* nothing grows, so that an offset still fits */
				if (names_function(insn) || to->code == (BPF_JMP32 | BPF_JA))
					to->imm = distance;
				else
					to->off = distance;
			}
			count += is_wide(insn) ? 2 : 1;
		}
		at += is_wide(insn);
	}
}

int prune__program(const struct bpf_insn *insns, size_t count, prune_constants_fn *constants, void *context, struct prune_result *result)
{
	struct pruning pruning = { .insns = insns, .count = count, .constants = constants, .context = context };
	int err;

	*result = (struct prune_result){};
	if (!count)
		return -EINVAL;
	pruning.places = take_room(count * sizeof(*pruning.places));
	err = pruning.places ? mark(&pruning) : -ENOMEM;
	if (!err) {
		meet_start(&pruning, 0, 0);
		do {
			pruning.again = false;
			pass(&pruning);
		} while (pruning.again);
		find_read(&pruning);
		drop_jumps(&pruning);
		result->insns = calloc(count, sizeof(*result->insns));
		result->places = calloc(count, sizeof(*result->places));
		err = result->insns && result->places ? 0 : -ENOMEM;
	}
	if (!err) {
		for (size_t at = 0; at < count; at++) {
			result->places[at] = result->count;
			if (is_wide(&insns[at])) {
				if (at + 1 < count)
					result->places[at + 1] = result->count;
				result->count += pruning.places[at].kept ? 2 : 0;
				at++;
			} else {
				result->count += pruning.places[at].kept;
			}
		}
		write(&pruning, result);
	}
	if (err) {
		free(result->insns);
		free(result->places);
		*result = (struct prune_result){};
	}
	free_room(pruning.places, count * sizeof(*pruning.places));
	free_room(pruning.states, pruning.states_size);
	return err;
}
