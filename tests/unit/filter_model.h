/* SPDX-License-Identifier: BSD-2-Clause */
/* What a filter means, read off its tree and a record without any instruction: what the tests of lib/gen compare with. */
#ifndef FILTER_MODEL_H
#define FILTER_MODEL_H

#include <fnmatch.h>
#include <stdlib.h>

#include "bpf_machine.h"
#include "lib/gen/condition.h"
#include "lib/gen/expr.h"

/* An event with a field of each kind, some where they are not aligned. */
static const char model_format[] =
	"name: model\nID: 1\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:u8 a;\toffset:8;\tsize:1;\tsigned:0;\n"
	"\tfield:s8 b;\toffset:9;\tsize:1;\tsigned:1;\n"
	"\tfield:u16 c;\toffset:10;\tsize:2;\tsigned:0;\n"
	"\tfield:int d;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:u64 e;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:s64 f;\toffset:24;\tsize:8;\tsigned:1;\n"
	"\tfield:u32 g;\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:char s[16];\toffset:36;\tsize:16;\tsigned:0;\n"
	"\tfield:char t[3];\toffset:52;\tsize:3;\tsigned:0;\n"
	"\tfield:__data_loc char[] dyn;\toffset:56;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc char rel[];\toffset:60;\tsize:4;\tsigned:0;\n"
	"\tfield:s16 h;\toffset:64;\tsize:2;\tsigned:1;\n"
	"\tfield:u32 list[3];\toffset:68;\tsize:12;\tsigned:0;\n"
	"\nprint fmt: \"%u %s %s\", REC->a, __print_symbolic(REC->h, { 1, \"ONE\" }, { 2, \"TWO\" }), __print_flags(REC->g, \"|\", { 16, \"BIT\" })\n";
#define MODEL_CTX_END 80
#define MODEL_CTX_SIZE 400

/* A filter's instructions as a function, which has the context and the task's ids as arguments; static. */
static const struct bpf_insn *model_function(const struct emit *filter, size_t *count)
{
	static struct bpf_insn function[MACHINE_INSNS];

	function[0] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_6, .src_reg = BPF_REG_1 };
	function[1] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_7, .src_reg = BPF_REG_2 };
	memcpy(function + 2, filter->insns, filter->count * sizeof(*function));
	function[2 + filter->count] = (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT };
	*count = filter->count + 3;
	return function;
}

struct model {
	const struct machine *machine;
	uint64_t id;
};

static uint64_t model_field(const struct model *model, const char *name, bool *is_unsigned)
{
	const char *ctx = model->machine->ctx;
	int8_t b;
	uint16_t c;
	int16_t h;
	int32_t d;
	uint32_t g;
	uint64_t e;

	memcpy(&b, ctx + 9, 1);
	memcpy(&c, ctx + 10, 2);
	memcpy(&h, ctx + 64, 2);
	memcpy(&d, ctx + 12, 4);
	memcpy(&g, ctx + 32, 4);
	memcpy(&e, ctx + (*name == 'e' ? 16 : 24), 8);
	*is_unsigned |= !strcmp(name, "e");
	if (name[1]) {
		switch (*name) {
		case 'p': case 'P': return model->id >> 32;
		case 't': case 'T': return (uint32_t)model->id;
		case 'u': case 'U': return model->machine->uid;
		default: return model->machine->cpu;
		}
	}
	switch (*name) {
	case 'a': return (uint8_t)ctx[8];
	case 'b': return (uint64_t)b;
	case 'c': return c;
	case 'd': return (uint64_t)d;
	case 'g': return g;
	case 'h': return (uint64_t)h;
	default: return e;
	}
}

/* The string that a name means; text has CONDITION_STRING_MAX + 1 bytes. */
static bool model_string(const struct model *model, const char *name, char *text)
{
	const char *ctx = model->machine->ctx;
	uint32_t loc;

	if (!strcmp(name, "s") || !strcmp(name, "t")) {
		sprintf(text, "%.*s", *name == 's' ? 16 : 3, ctx + (*name == 's' ? 36 : 52));
	} else if (!strcmp(name, "comm") || !strcmp(name, "COMM")) {
		sprintf(text, "%.16s", model->machine->comm);
	} else if (!strcmp(name, "dyn") || !strcmp(name, "rel")) {
		memcpy(&loc, ctx + (*name == 'd' ? 56 : 60), 4);
		sprintf(text, "%.*s", CONDITION_STRING_MAX - 1, ctx + (loc & 0xffff) + (*name == 'd' ? 0 : 64));
	} else {
		return false;
	}
	return true;
}

static uint64_t model_number(const struct model *model, const struct expr *expr, bool *is_unsigned)
{
	if (expr->kind == EXPR_NUMBER) {
		*is_unsigned |= expr->is_large;
		return expr->number;
	}
	if (expr->kind == EXPR_NAME)
		return model_field(model, expr->text, is_unsigned);
	return model_number(model, expr->left, is_unsigned) & model_number(model, expr->right, is_unsigned);
}

static bool model_compare(const struct model *model, const struct expr *expr)
{
	bool is_unsigned = false;
	uint64_t left = model_number(model, expr->left, &is_unsigned), right = model_number(model, expr->right, &is_unsigned);

	/* as in C: a negative constant beside a field without sign */
	if (expr->left->kind == EXPR_NAME && expr->right->kind == EXPR_NUMBER && (int64_t)right < 0 && !expr->right->is_large)
		right &= !strcmp(expr->left->text, "a") ? 0xff : !strcmp(expr->left->text, "c") ? 0xffff :
			 !strcmp(expr->left->text, "g") ? 0xffffffff : UINT64_MAX;
	switch (expr->kind) {
	case EXPR_EQ: return left == right;
	case EXPR_NE: return left != right;
	case EXPR_LT: return is_unsigned ? left < right : (int64_t)left < (int64_t)right;
	case EXPR_LE: return is_unsigned ? left <= right : (int64_t)left <= (int64_t)right;
	case EXPR_GT: return is_unsigned ? left > right : (int64_t)left > (int64_t)right;
	default: return is_unsigned ? left >= right : (int64_t)left >= (int64_t)right;
	}
}

static bool model_holds(const struct model *model, const struct expr *expr)
{
	char text[CONDITION_STRING_MAX + 1];
	bool is_unsigned = false;

	switch (expr->kind) {
	case EXPR_AND: return model_holds(model, expr->left) && model_holds(model, expr->right);
	case EXPR_OR: return model_holds(model, expr->left) || model_holds(model, expr->right);
	case EXPR_NOT: return !model_holds(model, expr->left);
	case EXPR_EQ ... EXPR_MATCH:
		if (expr->left->kind != EXPR_NAME || !model_string(model, expr->left->text, text))
			return model_compare(model, expr);
		if (expr->kind == EXPR_MATCH)
			return !fnmatch(expr->right->text, text, 0);
		return !strcmp(text, expr->right->text) == (expr->kind == EXPR_EQ);
	default: return model_number(model, expr, &is_unsigned);
	}
}

#endif
