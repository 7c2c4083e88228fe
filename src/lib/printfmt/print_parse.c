/* SPDX-License-Identifier: BSD-2-Clause */
/* print_expr__parse(): by recursive descent, binary operators by their precedence. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "enums.h"
#include "print_token.h"

/* Nodes of one expression; those of the kernel have some thirty, as names are constants. */
#define NODES_MAX 512

/* Takes the field with the longest name: members of an argument are fields with names as "p->comm[0]" (arguments.h). */
static const struct format_field *take_member(struct print_parser *parser)
{
	const struct format *format = parser->expr->format;
	const struct format_field *found = NULL;
	size_t longest = 0;

	for (unsigned int i = 0; i < format->fields_count; i++) {
		size_t length = strlen(format->fields[i].name);

		if (length <= longest || (size_t)(parser->end - parser->at) < length || memcmp(format->fields[i].name, parser->at, length))
			continue;
		found = &format->fields[i];
		longest = length;
	}
	parser->at += longest;
	return found;
}

static const struct print_node *parse_field(struct print_parser *parser)
{
	const char *name;
	size_t length;

	if (!print_token__expect(parser, "->"))
		return NULL;
	if (parser->expr->format->is_arguments)
		return print_function__field(parser, NODE_FIELD, take_member(parser));
	length = print_token__word(parser, &name);
	return print_function__field(parser, NODE_FIELD, print_function__find(parser, name, length));
}

/* ---- operators */

/* An enumerator, which the kernel spells in capitals. */
static bool take_constant_name(struct print_parser *parser, const char *word, size_t length, struct enum_constant *constant)
{
	const struct format *format = parser->expr->format;

	for (size_t i = 0; i < length; i++)
		if (!isupper((unsigned char)word[i]) && !isdigit((unsigned char)word[i]) && word[i] != '_')
			return false;
	print_token__skip_space(parser);
	return (parser->at == parser->end || *parser->at != '(') && enums__find(format->name, format->print_fmt, word, length, constant);
}

static const struct print_node *parse_primary(struct print_parser *parser)
{
	const struct print_node *node;
	struct enum_constant constant;
	const char *word;
	size_t length;

	print_token__skip_space(parser);
	if (parser->at == parser->end)
		return print_token__fail(parser, -EOPNOTSUPP);
	if (isdigit((unsigned char)*parser->at))
		return print_token__number(parser);
	if (*parser->at == '"')
		return print_token__string_node(parser);
	if (*parser->at == '\'')
		return print_token__character(parser);
	if (print_token__take(parser, "(REC)"))
		return parse_field(parser);
	if (print_token__take(parser, "(")) {
		node = print_parse__expression(parser);
		return print_token__expect(parser, ")") ? node : NULL;
	}
	length = print_token__word(parser, &word);
	if (!length)
		return print_token__fail(parser, -EOPNOTSUPP);
	if (length == 3 && !memcmp(word, "REC", 3))
		return parse_field(parser);
	if ((length == 4 && !memcmp(word, "true", 4)) || (length == 5 && !memcmp(word, "false", 5)))
		return print_token__new_number(parser, *word == 't', 4, false);
	if (take_constant_name(parser, word, length, &constant))
		return print_token__new_number(parser, constant.value, constant.size, constant.is_unsigned);
	return print_function__parse(parser, word, length);
}

static const struct print_node *parse_postfix(struct print_parser *parser)
{
	const struct print_node *node = parse_primary(parser), *index;

	if (!node || !print_token__take(parser, "["))
		return node;
	index = print_parse__expression(parser);
	if (!index || !print_token__expect(parser, "]") || node->op != NODE_FIELD)
		return print_token__fail(parser, -EOPNOTSUPP);
	return print_token__new_parent(parser, NODE_ELEMENT, node, index, NULL);
}

static const struct print_node *parse_unary(struct print_parser *parser);

static const struct print_node *parse_cast(struct print_parser *parser)
{
	const char *start = parser->at;
	struct print_node type = { .op = NODE_CAST }, *node;
	const struct print_node *operand;

	if (!print_token__take(parser, "("))
		return NULL;
	if (!print_token__type(parser, &type)) {
		parser->at = start;
		return NULL;
	}
	operand = parse_unary(parser);
	node = operand ? print_token__new(parser, NODE_CAST) : NULL;
	if (!node)
		return print_token__fail(parser, -EOPNOTSUPP);
	type.op = NODE_CAST;
	*node = type;
	node->operands[0] = operand;
	return node;
}

static const struct print_node *parse_unary(struct print_parser *parser)
{
	static const struct { const char *sign; enum print_op op; } signs[] = {
		{ "-", NODE_MINUS }, { "!", NODE_NOT }, { "~", NODE_INVERT }, { "&", NODE_ADDRESS },
	};
	const struct print_node *node = NULL;

	if (parser->err || parser->depth == PRINT_EXPR_DEPTH)
		return print_token__fail(parser, -EOPNOTSUPP);
	parser->depth++;
	for (size_t i = 0; !node && !parser->err && i < sizeof(signs) / sizeof(*signs); i++)
		if (print_token__take(parser, signs[i].sign))
			node = print_token__new_parent(parser, signs[i].op, parse_unary(parser), NULL, NULL);
	if (!node && !parser->err)
		node = parse_cast(parser);
	if (!node && !parser->err)
		node = parse_postfix(parser);
	parser->depth--;
	return node;
}

/* In the order of their precedence; of signs that begin alike the longer one first. */
static const struct {
	const char *sign;
	enum print_op op;
	int precedence;
} operators[] = {
	{ "||", NODE_EITHER, 1 }, { "&&", NODE_BOTH, 2 }, { "|", NODE_OR, 3 }, { "^", NODE_XOR, 4 }, { "&", NODE_AND, 5 },
	{ "==", NODE_EQUAL, 6 }, { "!=", NODE_UNEQUAL, 6 }, { "<<", NODE_LEFT, 8 }, { ">>", NODE_RIGHT, 8 }, { "<=", NODE_NOT_GREATER, 7 },
	{ ">=", NODE_NOT_LESS, 7 }, { "<", NODE_LESS, 7 }, { ">", NODE_GREATER, 7 }, { "+", NODE_ADD, 9 }, { "-", NODE_SUBTRACT, 9 },
	{ "*", NODE_MULTIPLY, 10 }, { "/", NODE_DIVIDE, 10 }, { "%", NODE_MODULO, 10 },
};

static const struct print_node *parse_binary(struct print_parser *parser, int precedence)
{
	const struct print_node *left = parse_unary(parser), *right;
	size_t i;

	while (left && !parser->err) {
		const char *start = parser->at;

		for (i = 0; i < sizeof(operators) / sizeof(*operators) && !print_token__take(parser, operators[i].sign); i++)
			;
		if (i == sizeof(operators) / sizeof(*operators) || operators[i].precedence < precedence) {
			parser->at = start;
			break;
		}
		right = parse_binary(parser, operators[i].precedence + 1);
		left = right ? print_token__new_parent(parser, operators[i].op, left, right, NULL) : NULL;
	}
	return left;
}

const struct print_node *print_parse__expression(struct print_parser *parser)
{
	const struct print_node *condition, *yes, *no;

	if (parser->err || parser->depth == PRINT_EXPR_DEPTH)
		return print_token__fail(parser, -EOPNOTSUPP);
	parser->depth++;
	condition = parse_binary(parser, 1);
	if (condition && print_token__take(parser, "?")) {
		yes = print_parse__expression(parser);
		no = yes && print_token__expect(parser, ":") ? print_parse__expression(parser) : NULL;
		condition = no ? print_token__new_parent(parser, NODE_CHOICE, condition, yes, no) : print_token__fail(parser, -EOPNOTSUPP);
	}
	parser->depth--;
	return condition;
}

int print_expr__parse(struct print_expr **to, const struct format *format, const char *text, const char *end)
{
	size_t length = (size_t)(end - text), names_max = 1;
	struct print_parser parser = { .at = text, .end = end };
	struct print_expr *expr = calloc(1, sizeof(*expr));

	for (const char *at = text; at < end; at++)
		names_max += *at == '{';
	if (!expr)
		return -ENOMEM;
	expr->format = format;
	expr->nodes_max = length + 1 < NODES_MAX ? length + 1 : NODES_MAX;
	expr->nodes = calloc(expr->nodes_max, sizeof(*expr->nodes));
	expr->names = calloc(names_max, sizeof(*expr->names));
	expr->texts = malloc(length + 1);
	if (!expr->nodes || !expr->names || !expr->texts) {
		print_expr__free(expr);
		return -ENOMEM;
	}
	parser.expr = expr;
	expr->root = print_parse__expression(&parser);
	print_token__skip_space(&parser);
	if (!expr->root || parser.at != parser.end)
		print_token__fail(&parser, -EOPNOTSUPP);
	if (parser.err) {
		print_expr__free(expr);
		return parser.err;
	}
	*to = expr;
	return 0;
}

void print_expr__free(struct print_expr *expr)
{
	if (!expr)
		return;
	free(expr->nodes);
	free(expr->names);
	free(expr->texts);
	free(expr);
}
