/* SPDX-License-Identifier: BSD-2-Clause */
#include "condition.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/print/meaning.h"
#include "lib/printfmt/value_names.h"
#include "match.h"
#include "operand.h"

/* Registers that calls leave alone. */
#define CTX BPF_REG_6
#define ID BPF_REG_7

/* On the stack: first values that wait for others, then a string. */
#define WAITING_MAX 8
#define WAITING_AT(index) (-CONDITION_STACK - 8 * ((index) + 1))
#define STRING_END WAITING_AT(WAITING_MAX - 1)
/* for what is read on the way to a value in memory: before a string is there */
#define SLOT (STRING_END - 8)

struct compiler {
	struct emit *emit;
	const struct format *format;
	struct expr_error *error;
	emit_label fault;	/* the comparison at hand does not hold: a value of it cannot be read */
	int err;
};

__attribute__((format(printf, 3, 4)))
static void fail(struct compiler *compiler, const struct expr *at, const char *format, ...)
{
	va_list args;

	if (compiler->err)
		return;
	compiler->err = -EINVAL;
	compiler->error->column = at->column;
	va_start(args, format);
	vsnprintf(compiler->error->why, sizeof(compiler->error->why), format, args);
	va_end(args);
}

static struct operand_frame frame_of(const struct compiler *compiler)
{
	return (struct operand_frame){ .ctx = CTX, .id = ID, .slot = SLOT, .fault = compiler->fault };
}

static void find(struct compiler *compiler, const struct expr *name, struct operand *operand)
{
	struct fault fault;

	if (!compiler->err && operand__find(operand, compiler->format, name->text, &fault))
		fail(compiler, name, "%s", fault.text);
}

/* ---- numbers */

/* Whether the value is one load, or a constant, which needs no register but its own. */
static bool is_simple(const struct expr *expr, const struct operand *operand)
{
	return expr->kind == EXPR_NUMBER || (expr->kind == EXPR_NAME && operand__is_simple(operand));
}

/* To reg; what is not simple to r0. */
static void put_value(struct compiler *compiler, int reg, const struct expr *expr, const struct operand *operand)
{
	struct operand_frame frame = frame_of(compiler);

	if (expr->kind == EXPR_NUMBER)
		emit__set(compiler->emit, reg, expr->number);
	else if (operand__is_text(operand))
		fail(compiler, expr, "%s is a text where a number should be", expr->text);
	else
		operand__load(compiler->emit, reg, operand, &frame);
}

/* The field that a number is made of: its own name, or the first one of several with "&" between. */
static const struct format_field *field_of(const struct format *format, const struct expr *expr)
{
	while (expr->kind == EXPR_BITS)
		expr = expr->left;
	return expr->kind == EXPR_NAME ? format__field(format, expr->text) : NULL;
}

bool condition__constant(const struct format *format, const struct expr *left, const struct expr *right, uint64_t *number)
{
	const struct format_field *field = field_of(format, left);
	struct value_names *names;
	bool is_there;

	*number = right->number;
	if (right->kind != EXPR_NAME)
		return right->kind == EXPR_NUMBER;
	if (!field || format__field(format, right->text) || operand__is_task_name(right->text))
		return false;
	if (field->meaning)
		return meaning__number(field->meaning, right->text, number);
	if (value_names__parse(&names, format->print_fmt, field->name))
		return false;
	is_there = value_names__value(names, right->text, number);
	value_names__free(names);
	return is_there;
}

/* *is_unsigned becomes true if the value has 64 bits without sign, as the result of "&" has if one of its sides has. */
static void put_number(struct compiler *compiler, const struct expr *expr, int waiting, bool *is_unsigned);

/* Two values: the left one to r0, the right one to r1. */
static void put_two(struct compiler *compiler, const struct expr *left, const struct expr *right, int waiting, bool *is_unsigned)
{
	struct emit *emit = compiler->emit;
	struct operand operand = {};

	put_number(compiler, left, waiting, is_unsigned);
	if (right->kind == EXPR_NAME)
		find(compiler, right, &operand);
	if (compiler->err)
		return;
	if (is_simple(right, &operand)) {
		put_value(compiler, BPF_REG_1, right, &operand);
		*is_unsigned |= right->kind == EXPR_NAME ? operand__is_unsigned(&operand) : right->is_large;
		return;
	}
	if (waiting == WAITING_MAX) {
		fail(compiler, right, "too many parentheses within each other");
		return;
	}
	emit__store(emit, BPF_REG_10, WAITING_AT(waiting), BPF_REG_0, 8);
	put_number(compiler, right, waiting + 1, is_unsigned);
	emit__copy(emit, BPF_REG_1, BPF_REG_0);
	emit__load(emit, BPF_REG_0, BPF_REG_10, WAITING_AT(waiting), 8);
}

static bool fits(uint64_t number)
{
	return (int64_t)number == (int32_t)number;
}

static void put_number(struct compiler *compiler, const struct expr *expr, int waiting, bool *is_unsigned)
{
	struct emit *emit = compiler->emit;
	struct operand operand = {};
	uint64_t number;

	switch (expr->kind) {
	case EXPR_BITS:
		if (condition__constant(compiler->format, expr->left, expr->right, &number)) {
			put_number(compiler, expr->left, waiting, is_unsigned);
			*is_unsigned |= expr->right->is_large;
			if (fits(number)) {
				emit__alu(emit, BPF_AND, BPF_REG_0, (int32_t)number);
			} else {
				emit__set(emit, BPF_REG_1, number);
				emit__alu_reg(emit, BPF_AND, BPF_REG_0, BPF_REG_1);
			}
		} else {
			put_two(compiler, expr->left, expr->right, waiting, is_unsigned);
			emit__alu_reg(emit, BPF_AND, BPF_REG_0, BPF_REG_1);
		}
		return;
	case EXPR_NAME:
		find(compiler, expr, &operand);
		if (compiler->err)
			return;
		*is_unsigned |= operand__is_unsigned(&operand);
		/* fallthrough */
	case EXPR_NUMBER:
		*is_unsigned |= expr->is_large;
		put_value(compiler, BPF_REG_0, expr, &operand);
		return;
	case EXPR_TEXT:
		fail(compiler, expr, "a text where a number should be");
		return;
	default:
		fail(compiler, expr, "the result of \"%s\" is true or false, and no number", expr__operator(expr->kind));
	}
}

/* ---- comparisons */

static unsigned int jump_of(enum expr_kind kind, bool is_unsigned)
{
	switch (kind) {
	case EXPR_EQ:
		return BPF_JEQ;
	case EXPR_LT:
		return is_unsigned ? BPF_JLT : BPF_JSLT;
	case EXPR_LE:
		return is_unsigned ? BPF_JLE : BPF_JSLE;
	case EXPR_GT:
		return is_unsigned ? BPF_JGT : BPF_JSGT;
	case EXPR_GE:
		return is_unsigned ? BPF_JGE : BPF_JSGE;
	default:
		return BPF_JNE;
	}
}

uint64_t condition__constant_beside(const struct operand *operand, const struct expr *right, uint64_t number)
{
	if (operand->kind != OPERAND_NUMBER || operand->number.is_signed || operand__bits(operand) == 64)
		return number;
	if ((int64_t)number >= 0 || right->is_large)
		return number;
	return number & ((1ULL << operand__bits(operand)) - 1);
}

/* The least and the most that a value can be.  False: all that 64 bits with a sign can, or with a sign and compared without. */
static bool range_of(const struct operand *operand, const struct expr *right, int64_t *least, int64_t *most)
{
	unsigned int bits = operand->kind == OPERAND_NUMBER ? operand__bits(operand) : 32;
	bool is_signed = operand->kind == OPERAND_NUMBER && operand->number.is_signed;

	if (bits == 64 || (is_signed && right->is_large))
		return false;
	*least = is_signed ? -(1LL << (bits - 1)) : 0;
	*most = (1LL << (bits - is_signed)) - 1;
	return true;
}

bool condition__may_be_number(const struct operand *operand, const struct expr *expr, uint64_t number, struct fault *fault)
{
	int64_t least, most, value = expr->right->is_large ? INT64_MAX : (int64_t)number;
	bool below, above;

	if (operand__is_unsigned(operand) && expr->kind == EXPR_LT && !number) {
		fault__set(fault, -EINVAL, "%s has no sign, and is never less than 0", expr->left->text);
		return false;
	}
	if (!range_of(operand, expr->right, &least, &most))
		return true;
	below = value < least;
	above = value > most;
	if (!below && !above && !(expr->kind == EXPR_LT && value == least) && !(expr->kind == EXPR_GT && value == most))
		return true;
	fault__set(fault, -EINVAL, "%s is from %lld to %lld, so this is %s true", expr->left->text, (long long)least, (long long)most,
		   expr->kind == EXPR_NE || (below && (expr->kind == EXPR_GT || expr->kind == EXPR_GE)) ||
		   (above && (expr->kind == EXPR_LT || expr->kind == EXPR_LE)) ? "always" : "never");
	return false;
}

static void put_comparison(struct compiler *compiler, const struct expr *expr, emit_label yes, emit_label no)
{
	const struct expr *left = expr->left, *right = expr->right;
	struct emit *emit = compiler->emit;
	struct operand operand = {};
	bool is_unsigned = false;
	struct fault fault;
	uint64_t number;

	compiler->fault = no;
	if (condition__constant(compiler->format, left, right, &number)) {
		if (left->kind == EXPR_NAME) {
			find(compiler, left, &operand);
			number = condition__constant_beside(&operand, right, number);
			if (!compiler->err && !condition__may_be_number(&operand, expr, number, &fault))
				fail(compiler, right, "%s", fault.text);
		}
		put_number(compiler, left, 0, &is_unsigned);
		is_unsigned |= right->is_large;
		if (fits(number)) {
			emit__jump(emit, jump_of(expr->kind, is_unsigned), BPF_REG_0, (int32_t)number, yes);
		} else {
			emit__set(emit, BPF_REG_1, number);
			emit__jump_reg(emit, jump_of(expr->kind, is_unsigned), BPF_REG_0, BPF_REG_1, yes);
		}
	} else {
		put_two(compiler, left, right, 0, &is_unsigned);
		emit__jump_reg(emit, jump_of(expr->kind, is_unsigned), BPF_REG_0, BPF_REG_1, yes);
	}
	emit__go(emit, no);
}

/* ---- texts */

bool condition__may_be_text(const struct operand *operand, const struct expr *expr, struct fault *fault)
{
	bool is_glob = expr->kind == EXPR_MATCH;
	size_t length = is_glob ? match__least(expr->right->text) : strlen(expr->right->text);
	unsigned int most = operand__text_max(operand);

	if (!most || length <= most)
		return true;
	if (is_glob)
		fault__set(fault, -EINVAL, "%s has at most %u characters, and the pattern takes %zu at least",
			   expr->left->text, most, length);
	else
		fault__set(fault, -EINVAL, "%s has at most %u characters, and this text has %zu (the first are \"%.*s\")",
			   expr->left->text, most, length, (int)most, expr->right->text);
	return false;
}

/* Has the string where the program can read it: in the context, or copied to the stack. */
static struct match_string put_string(struct compiler *compiler, const struct operand *operand, unsigned int needed, bool up_to_zero,
				      emit_label no)
{
	struct operand_frame frame = frame_of(compiler);
	struct emit *emit = compiler->emit;
	int room;

	frame.fault = no;
	if (operand->kind == OPERAND_ARRAY)
		return (struct match_string){ .base = CTX, .offset = operand->number.offset, .size = operand->field->array_len };
	if (operand->kind == OPERAND_COMM)
		needed = OPERAND_COMM_SIZE;
	else
		operand__point(emit, operand, &frame);
	room = (int)(needed + 7) / 8 * 8;
	emit__copy(emit, BPF_REG_1, BPF_REG_10);
	emit__alu(emit, BPF_ADD, BPF_REG_1, STRING_END - room);
	emit__set(emit, BPF_REG_2, needed);
	if (operand->kind == OPERAND_COMM) {
		emit__call(emit, BPF_FUNC_get_current_comm);
	} else {
		operand__read(emit, operand, up_to_zero);
		emit__jump(emit, BPF_JSLT, BPF_REG_0, 0, no);
	}
	return (struct match_string){ .base = BPF_REG_10, .offset = STRING_END - room, .size = needed };
}

static void put_text_comparison(struct compiler *compiler, const struct expr *expr, const struct operand *operand, emit_label yes,
				emit_label no)
{
	bool is_glob = expr->kind == EXPR_MATCH;
	const char *text = expr->right->text;
	/* a text in memory is read up to its 0 byte or to the end of the room: one more byte tells of a longer one */
	unsigned int behind = operand->kind == OPERAND_POINTER ? 2 : 1;
	unsigned int needed = is_glob ? CONDITION_STRING_MAX : (unsigned int)strlen(text) + behind;
	struct match_string string;
	struct fault fault;

	if (!is_glob && expr->kind != EXPR_EQ && expr->kind != EXPR_NE) {
		fail(compiler, expr, "\"%s\" compares numbers, and %s is a text (==, != and ~ are for texts)", expr__operator(expr->kind),
		     expr->left->text);
		return;
	}
	if (!condition__may_be_text(operand, expr, &fault)) {
		fail(compiler, expr->right, "%s", fault.text);
		return;
	}
	if (needed > CONDITION_STRING_MAX) {
		fail(compiler, expr->right, "a text of more than %u bytes", CONDITION_STRING_MAX - behind);
		return;
	}
	string = put_string(compiler, operand, needed, is_glob, no);
	if (!is_glob) {
		match__equal(compiler->emit, &string, text, expr->kind == EXPR_EQ ? yes : no, expr->kind == EXPR_EQ ? no : yes);
		return;
	}
	switch (match__glob(compiler->emit, &string, text, yes, no)) {
	case -EINVAL:
		fail(compiler, expr->right, "the pattern has a \"[\" that is not closed");
		break;
	case -ENOMEM:
		compiler->err = compiler->err ? compiler->err : -ENOMEM;
	}
}

/* A comparison of any kind; says what does not go together. */
static void put_compare(struct compiler *compiler, const struct expr *expr, emit_label yes, emit_label no)
{
	struct operand operand = {};
	bool left_is_text = false;

	if (expr->left->kind == EXPR_TEXT) {
		fail(compiler, expr->left, "a text on the left of \"%s\" (a field's name is expected)", expr__operator(expr->kind));
		return;
	}
	if (expr->left->kind == EXPR_NAME) {
		find(compiler, expr->left, &operand);
		if (compiler->err)
			return;
		left_is_text = operand__is_text(&operand);
	}
	if (left_is_text && expr->right->kind == EXPR_TEXT)
		put_text_comparison(compiler, expr, &operand, yes, no);
	else if (left_is_text)
		fail(compiler, expr->right, "%s is a text: what it is compared with must be in double quotes", expr->left->text);
	else if (expr->right->kind == EXPR_TEXT && expr->left->kind == EXPR_NAME)
		fail(compiler, expr->right, "%s is a number, and this is a text%s", expr->left->text,
		     strcmp(compiler->format->system, "syscalls") ? "" : " (texts of the process are in sys:NAME, without sys_enter_)");
	else if (expr->kind == EXPR_MATCH)
		fail(compiler, expr, "\"~\" compares a text with a pattern in double quotes");
	else
		put_comparison(compiler, expr, yes, no);
}

/* Goes to yes or to no. */
static void put_condition(struct compiler *compiler, const struct expr *expr, emit_label yes, emit_label no)
{
	struct emit *emit = compiler->emit;
	bool is_unsigned = false;
	emit_label middle;

	if (compiler->err)
		return;
	switch (expr->kind) {
	case EXPR_NOT:
		put_condition(compiler, expr->left, no, yes);
		return;
	case EXPR_AND:
		middle = emit__label(emit);
		put_condition(compiler, expr->left, middle, no);
		emit__place(emit, middle);
		put_condition(compiler, expr->right, yes, no);
		return;
	case EXPR_OR:
		middle = emit__label(emit);
		put_condition(compiler, expr->left, yes, middle);
		emit__place(emit, middle);
		put_condition(compiler, expr->right, yes, no);
		return;
	case EXPR_EQ ... EXPR_MATCH:
		put_compare(compiler, expr, yes, no);
		return;
	case EXPR_TEXT:
		fail(compiler, expr, "a text alone is no condition");
		return;
	default:
		compiler->fault = no;
		put_number(compiler, expr, 0, &is_unsigned);
		emit__jump(emit, BPF_JNE, BPF_REG_0, 0, yes);
		emit__go(emit, no);
	}
}

int condition__emit(struct emit *emit, const struct expr *tree, const struct format *format, struct expr_error *error)
{
	struct compiler compiler = { .emit = emit, .format = format, .error = error };
	emit_label yes = emit__label(emit), no = emit__label(emit), end = emit__label(emit);

	*error = (struct expr_error){ .why = "no memory" };
	put_condition(&compiler, tree, yes, no);
	emit__place(emit, no);
	emit__set(emit, BPF_REG_0, 0);
	emit__go(emit, end);
	emit__place(emit, yes);
	emit__set(emit, BPF_REG_0, 1);
	emit__place(emit, end);
	if (compiler.err)
		return compiler.err;
	if (emit__finish(emit) == -E2BIG)
		snprintf(error->why, sizeof(error->why), "too long for the kernel's verifier");
	return emit->err;
}

bool condition__uses_id(const struct emit *emit)
{
	for (size_t i = 0; i < emit->count; i++)
		if (emit->insns[i].code == (BPF_ALU64 | BPF_MOV | BPF_X) && emit->insns[i].src_reg == ID)
			return true;
	return false;
}

int condition__emit_true(struct emit *emit)
{
	emit__set(emit, BPF_REG_0, 1);
	return emit__finish(emit);
}
