/* SPDX-License-Identifier: BSD-2-Clause */
#include "evaluate.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "condition.h"

/* ---- what the parts of a filter mean */

static int add_part(struct evaluate *evaluate, const struct evaluate_part *part)
{
	struct evaluate_part *more = realloc(evaluate->parts, (evaluate->count + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	evaluate->parts = more;
	more[evaluate->count++] = *part;
	return 0;
}

static int refuse(struct expr_error *error, const struct expr *at, const char *why)
{
	error->column = at->column;
	snprintf(error->why, sizeof(error->why), "%.60s: %.170s", at->text, why);
	return -EOPNOTSUPP;
}

static int add_name(struct evaluate *evaluate, const struct expr *name, const struct format *format, struct expr_error *error)
{
	struct evaluate_part part = { .at = name };
	struct fault fault;

	if (operand__find(&part.operand, format, name->text, &fault))
		return refuse(error, name, fault.text);
	if (part.operand.kind == OPERAND_PID)
		return refuse(error, name, "records do not have the process (tid is the thread)");
	if (part.operand.kind == OPERAND_UID)
		return refuse(error, name, "records do not have the user");
	if (part.operand.field && (part.operand.kind == OPERAND_POINTER || part.operand.field->hops || part.operand.field->is_extra))
		return refuse(error, name, "a record has no memory that a program could read");
	return add_part(evaluate, &part);
}

static int add_parts(struct evaluate *evaluate, const struct expr *expr, const struct format *format, struct expr_error *error)
{
	struct evaluate_part constant = { .at = expr->right, .is_constant = true };
	int err;

	if (expr->kind == EXPR_NAME)
		return add_name(evaluate, expr, format, error);
	if (!expr->left)
		return 0;
	err = add_parts(evaluate, expr->left, format, error);
	if (err || !expr->right)
		return err;
	if (expr->kind == EXPR_AND || expr->kind == EXPR_OR || expr->right->kind == EXPR_TEXT ||
	    !condition__constant(format, expr->left, expr->right, &constant.number))
		return add_parts(evaluate, expr->right, format, error);
	return add_part(evaluate, &constant);
}

int evaluate__make(struct evaluate *evaluate, const struct expr *tree, const struct format *format, struct expr_error *error)
{
	int err;

	*evaluate = (struct evaluate){ .tree = tree };
	*error = (struct expr_error){ .why = "no memory" };
	err = tree ? add_parts(evaluate, tree, format, error) : 0;
	if (err)
		evaluate__free(evaluate);
	return err;
}

void evaluate__free(struct evaluate *evaluate)
{
	free(evaluate->parts);
	*evaluate = (struct evaluate){ .tree = NULL };
}

static const struct evaluate_part *part_of(const struct evaluate *evaluate, const struct expr *expr)
{
	for (size_t i = 0; i < evaluate->count; i++)
		if (evaluate->parts[i].at == expr)
			return &evaluate->parts[i];
	return NULL;
}

/* ---- a record */

struct look {
	const struct evaluate *evaluate;
	const struct evaluate_record *record;
	bool is_unsigned;		/* of the comparison at hand */
	bool is_fault;
};

/* Bytes of the record; NULL, and the comparison does not hold, where it has not so many. */
static const char *bytes_at(struct look *look, size_t offset, size_t size)
{
	if (offset <= look->record->size && size <= look->record->size - offset)
		return look->record->data + offset;
	look->is_fault = true;
	return NULL;
}

/* The number of so many bytes, in this machine's order, which is that of all architectures that there are programs for. */
static uint64_t number_at(struct look *look, size_t offset, unsigned int size, bool is_signed)
{
	const char *bytes = bytes_at(look, offset, size);
	unsigned int unused = 64 - 8 * size;
	uint64_t value = 0;

	if (!bytes)
		return 0;
	memcpy(&value, bytes, size);
	return is_signed && unused ? (uint64_t)((int64_t)(value << unused) >> unused) : value;
}

static uint64_t value_of(struct look *look, const struct operand *operand)
{
	look->is_unsigned |= operand__is_unsigned(operand);
	switch (operand->kind) {
	case OPERAND_NUMBER:
		/* where the record has it: programs on system calls find it elsewhere (ctx.h) */
		return number_at(look, operand->field->offset, operand->number.size, operand->number.is_signed);
	case OPERAND_TID:
		return look->record->tid;
	default:
		return look->record->cpu;
	}
}

static uint64_t number_of(struct look *look, const struct expr *expr)
{
	const struct evaluate_part *part = part_of(look->evaluate, expr);
	uint64_t left;

	if (part && part->is_constant) {
		look->is_unsigned |= expr->is_large;
		return part->number;
	}
	if (part)
		return value_of(look, &part->operand);
	if (expr->kind == EXPR_NUMBER) {
		look->is_unsigned |= expr->is_large;
		return expr->number;
	}
	left = number_of(look, expr->left);
	return left & number_of(look, expr->right);
}

static bool compare_numbers(struct look *look, const struct expr *expr)
{
	const struct evaluate_part *left_part = part_of(look->evaluate, expr->left), *right_part = part_of(look->evaluate, expr->right);
	uint64_t left = number_of(look, expr->left), right = number_of(look, expr->right);
	int order;

	if (right_part && right_part->is_constant && left_part)
		right = condition__constant_beside(&left_part->operand, expr->right, right);
	order = left == right ? 0 : look->is_unsigned ? left < right ? -1 : 1 : (int64_t)left < (int64_t)right ? -1 : 1;
	switch (expr->kind) {
	case EXPR_EQ:
		return !order;
	case EXPR_LT:
		return order < 0;
	case EXPR_LE:
		return order <= 0;
	case EXPR_GT:
		return order > 0;
	case EXPR_GE:
		return order >= 0;
	default:
		return order;
	}
}

/* ---- texts */

/* A text's bytes, without a 0 byte behind them: *size of them. */
static const char *text_of(struct look *look, const struct operand *operand, size_t *size)
{
	const struct format_field *field = operand->field;
	const char *bytes;
	uint32_t location;
	size_t begin;

	if (operand->kind == OPERAND_COMM) {
		look->is_fault = !look->record->comm;
		*size = look->record->comm ? strlen(look->record->comm) : 0;
		return look->record->comm;
	}
	if (operand->kind == OPERAND_ARRAY) {
		bytes = bytes_at(look, field->offset, field->array_len);
		*size = bytes ? strnlen(bytes, field->array_len) : 0;
		return bytes;
	}
	/* the length in the upper half, where in the lower one: from the record's start, or from the field's end (since 5.17) */
	location = (uint32_t)number_at(look, field->offset, sizeof(location), false);
	begin = (location & 0xffff) + (field->loc == FORMAT_REL_LOC ? field->offset + 4 : 0);
	bytes = look->is_fault ? NULL : bytes_at(look, begin, location >> 16);
	*size = bytes ? strnlen(bytes, location >> 16) : 0;
	return bytes;
}

static bool compare_text(struct look *look, const struct expr *expr, const struct operand *operand)
{
	const char *wanted = expr->right->text, *bytes;
	char text[CONDITION_STRING_MAX];
	size_t size;

	bytes = text_of(look, operand, &size);
	if (!bytes)
		return false;
	if (expr->kind != EXPR_MATCH)
		return (size == strlen(wanted) && !memcmp(bytes, wanted, size)) == (expr->kind == EXPR_EQ);
	/* of a longer one a pattern sees the beginning */
	snprintf(text, sizeof(text), "%.*s", (int)(size < sizeof(text) ? size : sizeof(text) - 1), bytes);
	return !fnmatch(wanted, text, 0);
}

/* ---- all of it */

static bool compare(struct look *look, const struct expr *expr)
{
	const struct evaluate_part *part = expr->left ? part_of(look->evaluate, expr->left) : NULL;
	bool holds;

	look->is_fault = look->is_unsigned = false;
	if (part && operand__is_text(&part->operand))
		holds = compare_text(look, expr, &part->operand);
	else
		holds = compare_numbers(look, expr);
	return holds && !look->is_fault;
}

static bool holds(struct look *look, const struct expr *expr)
{
	uint64_t number;

	switch (expr->kind) {
	case EXPR_NOT:
		return !holds(look, expr->left);
	case EXPR_AND:
		return holds(look, expr->left) && holds(look, expr->right);
	case EXPR_OR:
		return holds(look, expr->left) || holds(look, expr->right);
	case EXPR_EQ ... EXPR_MATCH:
		return compare(look, expr);
	default:
		look->is_fault = look->is_unsigned = false;
		number = number_of(look, expr);
		return number && !look->is_fault;
	}
}

bool evaluate__holds(const struct evaluate *evaluate, const struct evaluate_record *record)
{
	struct look look = { .evaluate = evaluate, .record = record };

	return !evaluate->tree || holds(&look, evaluate->tree);
}
