/* SPDX-License-Identifier: BSD-2-Clause */
#include "predicate.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "condition.h"
#include "fetch_args.h"
#include "lib/print/text_buffer.h"
#include "syscall_record.h"
#include "user_fetch.h"

/* The kernel takes no more than a page (event_filter_write() in kernel/trace/trace_events.c). */
#define TEXT_MAX 4096

struct writer {
	struct text_buffer text;
	const struct format *format;
	struct expr_error *error;
	int err;
};

__attribute__((format(printf, 3, 4)))
static void refuse(struct writer *writer, const struct expr *at, const char *format, ...)
{
	va_list args;

	if (writer->err)
		return;
	writer->err = -EOPNOTSUPP;
	writer->error->column = at->column;
	va_start(args, format);
	vsnprintf(writer->error->why, sizeof(writer->error->why), format, args);
	va_end(args);
}

/* Whether the kernel compares it as the number that it is. Arguments of system calls have 8 bytes there, whatever their type has. */
static bool is_comparable(const struct writer *writer, const struct operand *operand)
{
	if (operand->field && syscall_record__is_for(writer->format))
		return operand->kind == OPERAND_NUMBER && syscall_record__is_comparable(writer->format, &operand->number);
	return operand->kind == OPERAND_TID || operand->kind == OPERAND_CPU ||
	       (operand->kind == OPERAND_NUMBER && (!ctx__is_syscall(writer->format) || operand->number.size == operand->field->size));
}

static const char *name_of(const struct writer *writer, const struct expr *expr, const struct operand *operand)
{
	static char fetched[FETCH_ARGS_NAME_MAX];

	switch (operand->kind) {
	case OPERAND_TID:
		return "common_pid";
	case OPERAND_CPU:
		return "CPU";
	case OPERAND_COMM:
		return "COMM";
	default:
		/* an argument has the name that the line of its probe gives it */
		return writer->format->is_arguments && !syscall_record__is_for(writer->format) ?
		       fetch_args__name(writer->format, operand->field, fetched) : expr->text;
	}
}

/* Finds what a name means; refuses one that the kernel's filters do not know. */
static bool find(struct writer *writer, const struct expr *name, struct operand *operand)
{
	struct fault fault;

	if (operand__find(operand, writer->format, name->text, &fault)) {
		refuse(writer, name, "%s", fault.text);
		return false;
	}
	if (operand->field && syscall_record__is_for(writer->format) && !syscall_record__has(writer->format, operand->field)) {
		refuse(writer, name, "the kernel's own records of %s:%s do not have %s", writer->format->system,
		       writer->format->name, name->text);
		return false;
	}
	if (operand->field && operand__is_text(operand) && user_fetch__is_for(writer->format)) {
		refuse(writer, name, "the kernel's own filters compare no text in a program's memory, such as %s", name->text);
		return false;
	}
	if (operand->field && operand->field->hops && operand->field->hops->bits && operand->number.is_signed) {
		refuse(writer, name, "the kernel's own filters take no bit field with a sign, such as %s", name->text);
		return false;
	}
	if (operand->field && operand->field->is_extra && !writer->format->is_arguments) {
		refuse(writer, name, "the kernel's own filters know no elements of arrays, such as %s", name->text);
		return false;
	}
	if (operand__is_text(operand) || is_comparable(writer, operand))
		return true;
	if (operand->kind == OPERAND_PID || operand->kind == OPERAND_UID)
		refuse(writer, name, "the kernel's own filters do not know %s",
		       operand->kind == OPERAND_PID ? "the process (tid they know; -p "
		       "filters afterwards)" : "the user");
	else
		refuse(writer, name, "the kernel's own filters take all 8 bytes of the argument %s, of which it has %u", name->text,
		       operand->number.size);
	return false;
}

/* Whether a value of the field can be that number, so that the kernel, which compares in the field's own type, understands the same. */
static bool is_in_range(const struct operand *operand, uint64_t number)
{
	unsigned int bits = operand->kind == OPERAND_NUMBER ? operand__bits(operand) : 31;

	if (operand->kind == OPERAND_NUMBER && operand->number.is_signed) {
		int64_t limit = (int64_t)(1ULL << (bits - 1)), value = (int64_t)number;

		return bits == 64 || (value >= -limit && value < limit);
	}
	return bits == 64 || !(number >> bits);
}

static void put_number(struct writer *writer, const struct operand *operand, uint64_t number)
{
	if (operand->kind == OPERAND_NUMBER && operand->number.is_signed)
		text_buffer__add(&writer->text, "%lld", (long long)number);
	else
		text_buffer__add(&writer->text, "%llu", (unsigned long long)number);
}

/* NAME OPERATOR NUMBER */
static void put_comparison(struct writer *writer, const struct expr *left, const char *operator, const struct expr *right)
{
	struct operand operand;
	uint64_t number;

	if (left->kind != EXPR_NAME || !condition__constant(writer->format, left, right, &number)) {
		refuse(writer, left, "the kernel's own filters compare a field with a constant");
		return;
	}
	if (!find(writer, left, &operand))
		return;
	if (operand.kind == OPERAND_CPU && *operator == '&') {
		refuse(writer, left, "the kernel's own filters have no \"&\" for the CPU");
		return;
	}
	number = condition__constant_beside(&operand, right, number);
	/* the kernel compares in the field's type, in which such a number is negative */
	if (right->is_large && operand.kind == OPERAND_NUMBER && operand.number.is_signed &&
	    (*operator == '<' || *operator == '>')) {
		refuse(writer, right, "the kernel's own filters compare %s with sign, and this is more than a number with sign can "
		       "be", left->text);
		return;
	}
	if (!is_in_range(&operand, number)) {
		refuse(writer, right, "%s has no such value, and the kernel's own filters do not take it", left->text);
		return;
	}
	text_buffer__add(&writer->text, "%s %s ", name_of(writer, left, &operand), operator);
	put_number(writer, &operand, number);
}

/* NAME OPERATOR "TEXT" */
static void put_text_comparison(struct writer *writer, const struct expr *expr, const struct operand *operand)
{
	const char *text = expr->right->text;
	struct fault fault;
	char quote = strchr(text, '"') ? '\'' : '"';

	if (!condition__may_be_text(operand, expr, &fault)) {
		refuse(writer, expr->right, "%s", fault.text);
		return;
	}
	/* trace_parse_run_command() and parse_pred(): no escapes; an empty text, "!" and a digit before a pattern mean something else */
	if (!*text || strchr(text, quote) || strlen(text) > 250) {
		refuse(writer, expr->right,
		       "the kernel's own filters take no empty text, none with both kinds of quotes, and at most 250 bytes");
		return;
	}
	if (expr->kind == EXPR_MATCH && (*text == '!' || isdigit((unsigned char)*text))) {
		refuse(writer, expr->right, "a pattern of the kernel's own filters cannot begin with \"%c\"", *text);
		return;
	}
	text_buffer__add(&writer->text, "%s %s %c%s%c", name_of(writer, expr->left, operand), expr__operator(expr->kind),
			 quote, text, quote);
}

static void put_compare(struct writer *writer, const struct expr *expr)
{
	const struct expr *left = expr->left, *right = expr->right;
	struct operand operand;
	uint64_t number;

	if (left->kind == EXPR_BITS) {
		/* (flags & 4) == 0 */
		if (!condition__constant(writer->format, left, right, &number) || number ||
		    (expr->kind != EXPR_EQ && expr->kind != EXPR_NE)) {
			refuse(writer, expr, "the kernel's own filters compare \"&\" with nothing but 0");
			return;
		}
		text_buffer__add(&writer->text, expr->kind == EXPR_EQ ? "!(" : "(");
		put_comparison(writer, left->left, "&", left->right);
		text_buffer__add(&writer->text, ")");
		return;
	}
	if (right->kind != EXPR_TEXT)
		put_comparison(writer, left, expr__operator(expr->kind), right);
	else if (find(writer, left, &operand))
		put_text_comparison(writer, expr, &operand);
}

static void put(struct writer *writer, const struct expr *expr)
{
	static const struct expr zero = { .kind = EXPR_NUMBER };

	switch (expr->kind) {
	case EXPR_NOT:
		text_buffer__add(&writer->text, "!(");
		put(writer, expr->left);
		text_buffer__add(&writer->text, ")");
		return;
	case EXPR_AND:
	case EXPR_OR:
		text_buffer__add(&writer->text, "(");
		put(writer, expr->left);
		text_buffer__add(&writer->text, ") %s (", expr__operator(expr->kind));
		put(writer, expr->right);
		text_buffer__add(&writer->text, ")");
		return;
	case EXPR_BITS:
		put_comparison(writer, expr->left, "&", expr->right);
		return;
	case EXPR_NAME:
	case EXPR_NUMBER:
		put_comparison(writer, expr, "!=", &zero);
		return;
	default:
		put_compare(writer, expr);
	}
}

int predicate__make(char **text, const struct expr *tree, const struct format *format, struct expr_error *error)
{
	struct writer writer = { .text = text_buffer__growing(TEXT_MAX), .format = format, .error = error };

	*error = (struct expr_error){ .why = "no memory" };
	put(&writer, tree);
	if (!writer.err && writer.text.err == -EFBIG)
		refuse(&writer, tree, "the kernel's own filters take at most %d bytes", TEXT_MAX - 1);
	*text = text_buffer__take(&writer.text);
	if (writer.err) {
		free(*text);
		*text = NULL;
		return writer.err;
	}
	return *text ? 0 : -ENOMEM;
}
