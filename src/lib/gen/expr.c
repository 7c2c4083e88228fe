/* SPDX-License-Identifier: BSD-2-Clause */
#include "expr.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/print/error.h"
#include "lib/print/meaning.h"

#define DEPTH_MAX 32	/* parentheses and "!" within each other */

struct parser {
	const char *text, *at;
	struct expr_error *error;
	int depth;
	int err;
};

const char *expr__operator(enum expr_kind kind)
{
	static const char *const words[] = {
		[EXPR_BITS] = "&", [EXPR_EQ] = "==", [EXPR_NE] = "!=", [EXPR_LT] = "<", [EXPR_LE] = "<=", [EXPR_GT] = ">",
		[EXPR_GE] = ">=", [EXPR_MATCH] = "~", [EXPR_NOT] = "!", [EXPR_AND] = "&&", [EXPR_OR] = "||",
	};

	return kind < EXPR_BITS ? "" : words[kind];
}

void expr__free(struct expr *tree)
{
	if (!tree)
		return;
	expr__free(tree->left);
	expr__free(tree->right);
	free((char *)tree->text);
	free(tree);
}

__attribute__((format(printf, 3, 4)))
static struct expr *fail(struct parser *parser, const char *at, const char *format, ...)
{
	va_list args;

	if (parser->err)
		return NULL;
	parser->err = -EINVAL;
	parser->error->column = (unsigned int)(at - parser->text) + 1;
	va_start(args, format);
	vsnprintf(parser->error->why, sizeof(parser->error->why), format, args);
	va_end(args);
	return NULL;
}

static const char *skip_space(struct parser *parser)
{
	while (isspace((unsigned char)*parser->at))
		parser->at++;
	return parser->at;
}

static struct expr *make(struct parser *parser, enum expr_kind kind, const char *at, struct expr *left, struct expr *right)
{
	struct expr *expr = parser->err ? NULL : calloc(1, sizeof(*expr));

	if (!expr) {
		parser->err = parser->err ? parser->err : -ENOMEM;
		expr__free(left);
		expr__free(right);
		return NULL;
	}
	expr->kind = kind;
	expr->column = (unsigned int)(at - parser->text) + 1;
	expr->left = left;
	expr->right = right;
	return expr;
}

/* A copy of length bytes; a backslash stands before a quote or a backslash that are meant as such, if is_quoted. */
static struct expr *make_text(struct parser *parser, enum expr_kind kind, const char *at, const char *from, size_t length)
{
	struct expr *expr = make(parser, kind, at, NULL, NULL);
	char *copy = expr ? malloc(length + 1) : NULL, *to = copy;

	if (!copy) {
		expr__free(expr);
		parser->err = parser->err ? parser->err : -ENOMEM;
		return NULL;
	}
	for (const char *end = from + length; from < end; from++) {
		if (*from == '\\' && from + 1 < end && from[1] == '"')
			from++;
		*to++ = *from;
	}
	*to = 0;
	expr->text = copy;
	return expr;
}

static struct expr *take_number(struct parser *parser)
{
	const char *at = parser->at;
	bool is_negative = *at == '-';
	struct expr *expr;
	char *end;

	errno = 0;
	expr = make(parser, EXPR_NUMBER, at, NULL, NULL);
	if (!expr)
		return NULL;
	expr->number = strtoull(at + is_negative, &end, 0);
	if (errno || (is_negative && expr->number > (uint64_t)INT64_MAX + 1) || isalnum((unsigned char)*end) ||
	    *end == '_' || *end == '.') {
		expr__free(expr);
		return fail(parser, at, errno ? "a number of more than 64 bits" : "not a whole number");
	}
	if (is_negative)
		expr->number = -expr->number;
	else
		expr->is_large = expr->number > INT64_MAX;
	parser->at = end;
	return expr;
}

/* The text at hand, for a message: up to the next space. */
static int word_length(const char *at)
{
	size_t length = strcspn(at, " \t\n");

	return length > 20 ? 20 : (int)length;
}

/* "-ENOENT", as the kernel's functions return it: the number. */
static struct expr *take_error(struct parser *parser)
{
	static const struct meaning errors = { .is_error = true };
	size_t length = strspn(parser->at + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	char name[ERROR_NAME_MAX];
	struct expr *expr;
	uint64_t number;

	snprintf(name, sizeof(name), "%.*s", (int)length, parser->at + 1);
	if (length >= sizeof(name) || !meaning__number(&errors, name, &number))
		return fail(parser, parser->at, "\"%.*s\" is no error's name", word_length(parser->at), parser->at);
	expr = make(parser, EXPR_NUMBER, parser->at, NULL, NULL);
	if (expr)
		expr->number = number;
	parser->at += 1 + length;
	return expr;
}

static struct expr *take_text(struct parser *parser)
{
	const char *at = parser->at, *end = at + 1;

	while (*end && *end != *at)
		end += *end == '\\' && end[1] ? 2 : 1;
	if (!*end)
		return fail(parser, at, "the text has no second quote");
	parser->at = end + 1;
	return make_text(parser, EXPR_TEXT, at, at + 1, (size_t)(end - at - 1));
}

static struct expr *take_or(struct parser *parser);

/* Behind a name: a field, or a member of what it points to (file->f_path.dentry, list[3]). */
static const char *name_end(const char *at)
{
	for (;;) {
		const char *next;

		while (isalnum((unsigned char)*at) || *at == '_')
			at++;
		next = at + (!strncmp(at, "->", 2) ? 2 : 1);
		/* arg1:str has a type */
		if ((*at == '.' || *at == ':' || next == at + 2) && (isalpha((unsigned char)*next) || *next == '_')) {
			at = next;
		} else if (*at == '[' && next[strspn(next, "0123456789")] == ']' && *next != ']') {
			at = next + strspn(next, "0123456789") + 1;
		} else if (*at == '@' && isdigit((unsigned char)*next)) {
			/* %di:b4@2/32 */
			at = next + strspn(next, "0123456789/");
		} else {
			return at;
		}
	}
}

/* Behind memory in the grammar of the kernel's probes, "+8(%si):u32", "-0x8(+u0($arg1))"; NULL: it is none. */
static const char *memory_end(const char *at)
{
	size_t digits;
	int depth = 0;

	if (*at != '+' && *at != '-')
		return NULL;
	at += 1 + (at[1] == 'u');
	digits = strspn(at, "xX0123456789abcdefABCDEF");
	if (!digits || !isdigit((unsigned char)*at) || at[digits] != '(')
		return NULL;
	for (at += digits; *at; at++) {
		depth += (*at == '(') - (*at == ')');
		if (!depth)
			return name_end(at + 1);
	}
	return NULL;
}

/*
 * Behind the field whose text begins here, or at itself: a name, and of the kernel's probes memory, a register, a variable or a symbol.
 * What is longer has a name (n=(filename)%si->name).
 */
static const char *field_end(const char *at)
{
	const char *end = memory_end(at);

	if (end)
		return end;
	if (*at && strchr("%$@", *at) && (isalpha((unsigned char)at[1]) || at[1] == '_'))
		return name_end(at + 1);
	return isalpha((unsigned char)*at) || *at == '_' ? name_end(at) : at;
}

static struct expr *take_one(struct parser *parser)
{
	const char *at = skip_space(parser), *end;
	struct expr *expr;

	if (*at == '(') {
		if (++parser->depth > DEPTH_MAX)
			return fail(parser, at, "more than %d parentheses within each other", DEPTH_MAX);
		parser->at++;
		expr = take_or(parser);
		parser->depth--;
		if (!expr)
			return NULL;
		if (*skip_space(parser) != ')') {
			expr__free(expr);
			return fail(parser, at, "the parenthesis is not closed");
		}
		parser->at++;
		return expr;
	}
	if (*at == '"')
		return take_text(parser);
	end = field_end(at);
	if (end > at) {
		parser->at = end;
		return make_text(parser, EXPR_NAME, at, at, (size_t)(end - at));
	}
	if (isdigit((unsigned char)*at) || (*at == '-' && isdigit((unsigned char)at[1])))
		return take_number(parser);
	if (*at == '-' && at[1] == 'E')
		return take_error(parser);
	if (!*at)
		return fail(parser, at, "the filter ends where a name, a number or a text should be");
	return fail(parser, at, "\"%.*s\" where a name, a number or a text should be%s", word_length(at), at,
		    *at == '\'' ? " (texts are in double quotes)" : "");
}

static struct expr *take_bits(struct parser *parser)
{
	struct expr *left = take_one(parser);

	while (left && skip_space(parser)[0] == '&' && parser->at[1] != '&') {
		const char *at = parser->at++;
		struct expr *right = take_one(parser);

		left = right ? make(parser, EXPR_BITS, at, left, right) : (expr__free(left), NULL);
	}
	return left;
}

/* Which operator of two letters or of one stands here; EXPR_NUMBER for none. */
static enum expr_kind take_operator(struct parser *parser)
{
	static const enum expr_kind kinds[] = { EXPR_EQ, EXPR_NE, EXPR_LE, EXPR_GE, EXPR_LT, EXPR_GT, EXPR_MATCH };

	skip_space(parser);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const char *word = expr__operator(kinds[i]);

		if (!strncmp(parser->at, word, strlen(word))) {
			parser->at += strlen(word);
			return kinds[i];
		}
	}
	return EXPR_NUMBER;
}

static struct expr *take_compare(struct parser *parser)
{
	struct expr *left = take_bits(parser), *right;
	const char *at = left ? skip_space(parser) : NULL;
	enum expr_kind kind = left ? take_operator(parser) : EXPR_NUMBER;

	if (left && kind == EXPR_NUMBER && *at == '=') {
		expr__free(left);
		return fail(parser, at, "\"=\" is no operator (\"==\" compares)");
	}
	if (kind == EXPR_NUMBER)
		return left;
	right = take_bits(parser);
	if (!right) {
		expr__free(left);
		return NULL;
	}
	return make(parser, kind, at, left, right);
}

static struct expr *take_not(struct parser *parser)
{
	const char *at = skip_space(parser);
	struct expr *expr;

	if (*at != '!' || at[1] == '=')
		return take_compare(parser);
	if (++parser->depth > DEPTH_MAX)
		return fail(parser, at, "more than %d \"!\" and parentheses within each other", DEPTH_MAX);
	parser->at++;
	expr = take_not(parser);
	parser->depth--;
	return expr ? make(parser, EXPR_NOT, at, expr, NULL) : NULL;
}

static struct expr *take_and(struct parser *parser)
{
	struct expr *left = take_not(parser);

	while (left && !strncmp(skip_space(parser), "&&", 2)) {
		const char *at = parser->at;
		struct expr *right;

		parser->at += 2;
		right = take_not(parser);
		left = right ? make(parser, EXPR_AND, at, left, right) : (expr__free(left), NULL);
	}
	return left;
}

static struct expr *take_or(struct parser *parser)
{
	struct expr *left = take_and(parser);

	while (left && !strncmp(skip_space(parser), "||", 2)) {
		const char *at = parser->at;
		struct expr *right;

		parser->at += 2;
		right = take_and(parser);
		left = right ? make(parser, EXPR_OR, at, left, right) : (expr__free(left), NULL);
	}
	return left;
}

int expr__parse(struct expr **tree, const char *text, struct expr_error *error)
{
	struct parser parser = { .text = text, .at = text, .error = error };
	struct expr *expr;

	*error = (struct expr_error){ .why = "no memory" };
	if (strlen(text) > 4096) {
		fail(&parser, text, "longer than 4096 bytes");
		return parser.err;
	}
	expr = take_or(&parser);
	if (expr && *skip_space(&parser)) {
		fail(&parser, parser.at, "\"%.*s\" where an operator should be", word_length(parser.at), parser.at);
		expr__free(expr);
		expr = NULL;
	}
	*tree = expr;
	return expr ? 0 : parser.err;
}
