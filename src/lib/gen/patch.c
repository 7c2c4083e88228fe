/* SPDX-License-Identifier: BSD-2-Clause */
#include "patch.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A function of the program, and what it is now. */
struct function {
	size_t start, end;
	const struct patch *replaced;	/* NULL: it stays */
};

#define FUNCTIONS_MAX 16

struct functions {
	struct function list[FUNCTIONS_MAX];
	size_t count;
};

static bool is_call(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_CALL;
}

static bool is_jump(const struct bpf_insn *insn)
{
	unsigned int class = BPF_CLASS(insn->code), operation = BPF_OP(insn->code);

	return (class == BPF_JMP || class == BPF_JMP32) && operation != BPF_CALL && operation != BPF_EXIT;
}

static bool is_mark(const struct bpf_insn *insn, int32_t mark)
{
	return insn->code == (BPF_ALU64 | BPF_MOV | BPF_K) && insn->imm == mark;
}

static int compare(const void *a, const void *b)
{
	size_t left = ((const struct function *)a)->start, right = ((const struct function *)b)->start;

	return (left > right) - (left < right);
}

static int add(struct functions *functions, size_t start)
{
	for (size_t i = 0; i < functions->count; i++)
		if (functions->list[i].start == start)
			return 0;
	if (functions->count == FUNCTIONS_MAX)
		return -EINVAL;
	functions->list[functions->count++] = (struct function){ .start = start };
	return 0;
}

/* A function begins where the program does, and where a call leads to. */
static int find_functions(const struct bpf_insn *program, size_t count, struct functions *functions)
{
	int err = add(functions, 0);

	for (size_t i = 0; i < count && !err; i++) {
		int64_t target = (int64_t)i + 1 + program[i].imm;

		if (is_call(&program[i]))
			err = target <= 0 || target >= (int64_t)count ? -EINVAL : add(functions, (size_t)target);
	}
	qsort(functions->list, functions->count, sizeof(*functions->list), compare);
	for (size_t i = 0; i < functions->count; i++)
		functions->list[i].end = i + 1 < functions->count ? functions->list[i + 1].start : count;
	return err;
}

/* Finds the functions that have the marks. */
static int find_marks(const struct bpf_insn *program, struct functions *functions, const struct patch *patches, size_t count)
{
	for (size_t s = 0; s < count; s++) {
		bool found = false;

		for (size_t f = 0; f < functions->count; f++)
			for (size_t i = functions->list[f].start; i < functions->list[f].end; i++) {
				if (!is_mark(&program[i], patches[s].mark))
					continue;
				found = true;
				if (patches[s].kind == PATCH_FUNCTION)
					functions->list[f].replaced = &patches[s];
			}
		if (!found)
			return -ENOENT;
	}
	return 0;
}

/* What stands in the place of an instruction: itself, or those of *code. */
static size_t size_of(const struct bpf_insn *insn, const struct patch *patches, size_t count, const struct patch **code)
{
	*code = NULL;
	for (size_t s = 0; s < count; s++)
		if (patches[s].kind == PATCH_CODE && is_mark(insn, patches[s].mark))
			*code = &patches[s];
	return *code ? (*code)->count : 1;
}

/* Whether it asks if a register is 0, and where it leads then and otherwise. */
static bool asks_for_0(const struct bpf_insn *insn, unsigned int reg, size_t at, size_t *zero, size_t *other)
{
	unsigned int class = BPF_CLASS(insn->code), operation = BPF_OP(insn->code);
	size_t target = at + 1 + (size_t)(ptrdiff_t)insn->off;

	if ((class != BPF_JMP && class != BPF_JMP32) || BPF_SRC(insn->code) != BPF_K || insn->dst_reg != reg || insn->imm)
		return false;
	*zero = operation == BPF_JEQ ? target : at + 1;
	*other = operation == BPF_JEQ ? at + 1 : target;
	return operation == BPF_JEQ || operation == BPF_JNE;
}

/* Whether the instruction is a choice that is made here, and where it leads. */
static bool is_choice(const struct bpf_insn *program, size_t count, size_t at, const struct patch *patches, size_t patches_count,
		      size_t *leads_to)
{
	size_t zero, other;

	for (size_t s = 0; s < patches_count; s++) {
		if (patches[s].kind != PATCH_CHOICE || !is_mark(&program[at], patches[s].mark))
			continue;
		if (at + 1 >= count || !asks_for_0(&program[at + 1], program[at].dst_reg, at + 1, &zero, &other))
			return false;
		*leads_to = patches[s].number ? other : zero;
		return true;
	}
	return false;
}

/* What leads where: a list of instructions to look at. */
struct walk {
	bool *reached;	/* of each instruction */
	size_t *list;
	size_t count;
};

static void walk_to(struct walk *walk, size_t at, size_t end)
{
	/* move() refuses what leads out of the program */
	if (at >= end || walk->reached[at])
		return;
	walk->reached[at] = true;
	walk->list[walk->count++] = at;
}

/* Finds what can be reached. */
static void find_reached(struct walk *walk, const struct bpf_insn *program, size_t count, const struct functions *functions,
			 const struct patch *patches, size_t patches_count)
{
	walk_to(walk, 0, count);
	while (walk->count) {
		size_t at = walk->list[--walk->count], leads_to;
		const struct bpf_insn *insn = &program[at];
		bool is_replaced = false;

		for (size_t f = 0; f < functions->count; f++)
			is_replaced |= functions->list[f].start == at && functions->list[f].replaced;
		if (is_replaced || insn->code == (BPF_JMP | BPF_EXIT))
			continue;
		if (is_choice(program, count, at, patches, patches_count, &leads_to)) {
			/* the test, which becomes a jump */
			walk->reached[at + 1] = leads_to != at + 2;
			walk_to(walk, leads_to, count);
			continue;
		}
		if (is_call(insn))
			walk_to(walk, at + 1 + (size_t)(ptrdiff_t)insn->imm, count);
		if (is_jump(insn))
			walk_to(walk, at + 1 + (size_t)(ptrdiff_t)insn->off, count);
		if (insn->code == (BPF_LD | BPF_IMM | BPF_DW) && at + 1 < count) {
			walk->reached[at + 1] = true;
			walk_to(walk, at + 2, count);
		} else if (insn->code != (BPF_JMP | BPF_JA)) {
			walk_to(walk, at + 1, count);
		}
	}
}

/* Where each instruction will be; how many there will be. */
static size_t place(const struct bpf_insn *program, size_t program_count, const struct functions *functions, const struct patch *patches,
		    size_t count, const bool *reached, size_t *places)
{
	const struct patch *code;
	size_t total = 0, leads_to;

	for (size_t f = 0; f < functions->count; f++) {
		const struct function *function = &functions->list[f];

		for (size_t i = function->start; i < function->end; i++) {
			places[i] = total;
			if (reached[i] && !function->replaced && !is_choice(program, program_count, i, patches, count, &leads_to))
				total += size_of(&program[i], patches, count, &code);
		}
		total += function->replaced && reached[function->start] ? function->replaced->count : 0;
	}
	return total;
}

/* Where the program goes on behind a mark at that place if r0 is 0 there. */
static size_t goes_on_with_0(const struct bpf_insn *program, size_t count, size_t at)
{
	size_t zero, other;

	return at + 1 < count && asks_for_0(&program[at + 1], BPF_REG_0, at + 1, &zero, &other) && zero > at &&
	       zero < count ? zero : at + 1;
}

/* Whether one of the jumps in generated code leads to an instruction of it. */
static bool is_target(const struct patch *code, size_t at)
{
	for (size_t i = 0; i < code->count; i++)
		if (is_jump(&code->insns[i]) && i + 1 + (size_t)code->insns[i].off == at)
			return true;
	return false;
}

static int set_jump(struct bpf_insn *insn, size_t at, size_t to)
{
	int64_t distance = (int64_t)to - (int64_t)at - 1;

	insn->off = (__s16)distance;
	return insn->off == distance ? 0 : -EINVAL;
}

/*
 * Copies generated code to places[at].  From "r0 = 0" at its end it goes straight to where that leads: two instructions less
 * for each event.
 */
static int copy_code(struct bpf_insn *made, const struct patch *code, const struct bpf_insn *program, size_t count, size_t at,
		     const size_t *places)
{
	size_t to = places[goes_on_with_0(program, count, at)];
	bool is_zero = false;
	int err = 0;

	memcpy(made + places[at], code->insns, code->count * sizeof(*made));
	for (size_t i = 0; i < code->count && !err; i++) {
		struct bpf_insn *insn = &made[places[at] + i];

		if (is_zero && insn->code == (BPF_JMP | BPF_JA) && i + 1 + (size_t)insn->off == code->count && !is_target(code, i))
			err = set_jump(insn, places[at] + i, to);
		is_zero = is_mark(insn, 0) && !insn->dst_reg;
	}
	return err;
}

/* Moves an instruction: a call or a jump leads to where its target is now. */
static int move(struct bpf_insn *to, const struct bpf_insn *insn, size_t at, size_t count, const size_t *places)
{
	int64_t target = (int64_t)at + 1 + (is_call(insn) ? insn->imm : insn->off);

	*to = *insn;
	if (!is_call(insn) && !is_jump(insn))
		return 0;
	if (target < 0 || target >= (int64_t)count)
		return -EINVAL;
	if (is_jump(insn))
		return set_jump(to, places[at], places[target]);
	to->imm = (int32_t)((int64_t)places[target] - (int64_t)places[at] - 1);
	return 0;
}

static int copy_function(const struct bpf_insn *program, size_t count, const struct function *function, const bool *reached,
			 const size_t *places, const struct patch *patches, size_t patches_count, struct bpf_insn *made)
{
	const struct patch *code;
	size_t leads_to;
	int err = 0;

	if (function->replaced && !reached[function->start])
		return 0;
	if (function->replaced) {
		memcpy(made + places[function->start], function->replaced->insns, function->replaced->count * sizeof(*made));
		return 0;
	}
	for (size_t i = function->start; i < function->end && !err; i++) {
		struct bpf_insn *to = made + places[i];

		if (!reached[i])
			continue;
		if (is_choice(program, count, i, patches, patches_count, &leads_to)) {
			/* where it leads further than behind the test, a jump in the place of that */
			to->code = BPF_JMP | BPF_JA;
			if (reached[++i])
				err = set_jump(to, places[i], places[leads_to]);
			continue;
		}
		size_of(&program[i], patches, patches_count, &code);
		if (code) {
			err = copy_code(made, code, program, count, i, places);
			continue;
		}
		err = move(to, &program[i], i, count, places);
		for (size_t s = 0; s < patches_count; s++)
			if (patches[s].kind >= PATCH_VALUE && is_mark(&program[i], patches[s].mark))
				to->imm = patches[s].number;
	}
	return err;
}

int patch__make(const struct bpf_insn *program, size_t count, const struct patch *patches, size_t patches_count,
		 struct bpf_insn **to, size_t *to_count)
{
	struct functions functions = {};
	struct walk walk = {};
	size_t *places;
	int err = find_functions(program, count, &functions);

	if (!err)
		err = find_marks(program, &functions, patches, patches_count);
	if (err)
		return err;
	walk.reached = calloc(count, sizeof(*walk.reached));
	places = walk.list = calloc(count, sizeof(*places));
	if (!places || !walk.reached) {
		free(places);
		free(walk.reached);
		return -ENOMEM;
	}
	find_reached(&walk, program, count, &functions, patches, patches_count);
	*to_count = place(program, count, &functions, patches, patches_count, walk.reached, places);
	*to = calloc(*to_count, sizeof(**to));
	err = *to ? 0 : -ENOMEM;
	for (size_t f = 0; f < functions.count && !err; f++)
		err = copy_function(program, count, &functions.list[f], walk.reached, places, patches, patches_count, *to);
	free(places);
	free(walk.reached);
	if (err) {
		free(*to);
		*to = NULL;
	}
	return err;
}
