/* SPDX-License-Identifier: BSD-2-Clause */
#include "splice.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A function of the program, and what it is now. */
struct function {
	size_t start, end;
	const struct splice *replaced;	/* NULL: it stays */
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
static int find_marks(const struct bpf_insn *program, struct functions *functions, const struct splice *splices, size_t count)
{
	for (size_t s = 0; s < count; s++) {
		bool found = false;

		for (size_t f = 0; f < functions->count; f++)
			for (size_t i = functions->list[f].start; i < functions->list[f].end; i++) {
				if (!is_mark(&program[i], splices[s].mark))
					continue;
				found = true;
				if (splices[s].kind == SPLICE_FUNCTION)
					functions->list[f].replaced = &splices[s];
			}
		if (!found)
			return -ENOENT;
	}
	return 0;
}

/* What stands in the place of an instruction: itself, or those of *code. */
static size_t size_of(const struct bpf_insn *insn, const struct splice *splices, size_t count, const struct splice **code)
{
	*code = NULL;
	for (size_t s = 0; s < count; s++)
		if (splices[s].kind == SPLICE_CODE && is_mark(insn, splices[s].mark))
			*code = &splices[s];
	return *code ? (*code)->count : 1;
}

/* Where each instruction will be; how many there will be. */
static size_t place(const struct bpf_insn *program, const struct functions *functions, const struct splice *splices, size_t count,
		    size_t *places)
{
	const struct splice *code;
	size_t total = 0;

	for (size_t f = 0; f < functions->count; f++) {
		const struct function *function = &functions->list[f];

		for (size_t i = function->start; i < function->end; i++) {
			places[i] = total;
			total += function->replaced ? 0 : size_of(&program[i], splices, count, &code);
		}
		total += function->replaced ? function->replaced->count : 0;
	}
	return total;
}

/* Moves an instruction: a call or a jump leads to where its target is now. */
static int move(struct bpf_insn *to, const struct bpf_insn *insn, size_t at, size_t count, const size_t *places)
{
	int64_t target = (int64_t)at + 1 + (is_call(insn) ? insn->imm : insn->off), distance;

	*to = *insn;
	if (!is_call(insn) && !is_jump(insn))
		return 0;
	if (target < 0 || target >= (int64_t)count)
		return -EINVAL;
	distance = (int64_t)places[target] - (int64_t)places[at] - 1;
	if (is_call(insn)) {
		to->imm = (int32_t)distance;
		return 0;
	}
	to->off = (__s16)distance;
	return to->off == distance ? 0 : -EINVAL;
}

static int copy_function(const struct bpf_insn *program, size_t count, const struct function *function, const size_t *places,
			 const struct splice *splices, size_t splices_count, struct bpf_insn *made)
{
	const struct splice *code;
	int err = 0;

	if (function->replaced) {
		memcpy(made + places[function->start], function->replaced->insns, function->replaced->count * sizeof(*made));
		return 0;
	}
	for (size_t i = function->start; i < function->end && !err; i++) {
		struct bpf_insn *to = made + places[i];

		size_of(&program[i], splices, splices_count, &code);
		if (code) {
			memcpy(to, code->insns, code->count * sizeof(*to));
			continue;
		}
		err = move(to, &program[i], i, count, places);
		for (size_t s = 0; s < splices_count; s++)
			if (splices[s].kind == SPLICE_VALUE && is_mark(&program[i], splices[s].mark))
				to->imm = splices[s].number;
	}
	return err;
}

int splice__make(const struct bpf_insn *program, size_t count, const struct splice *splices, size_t splices_count,
		 struct bpf_insn **to, size_t *to_count)
{
	struct functions functions = {};
	size_t *places;
	int err = find_functions(program, count, &functions);

	if (!err)
		err = find_marks(program, &functions, splices, splices_count);
	if (err)
		return err;
	places = calloc(count, sizeof(*places));
	if (!places)
		return -ENOMEM;
	*to_count = place(program, &functions, splices, splices_count, places);
	*to = calloc(*to_count, sizeof(**to));
	err = *to ? 0 : -ENOMEM;
	for (size_t f = 0; f < functions.count && !err; f++)
		err = copy_function(program, count, &functions.list[f], places, splices, splices_count, *to);
	free(places);
	if (err) {
		free(*to);
		*to = NULL;
	}
	return err;
}
