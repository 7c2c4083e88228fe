/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of print_expr: the functions of a print fmt, and the fields that they and others take. */
#include <errno.h>
#include <string.h>

#include "print_token.h"

/* A node of the field, which must be the only one of the expression. */
const struct print_node *print_function__field(struct print_parser *parser, enum print_op op, const struct format_field *field)
{
	if (!field)
		return print_token__fail(parser, -EOPNOTSUPP);
	if (parser->expr->field && parser->expr->field != field)
		return print_token__fail(parser, -EXDEV);
	parser->expr->field = field;
	return print_token__new(parser, op);
}

const struct format_field *print_function__find(const struct print_parser *parser, const char *name, size_t length)
{
	const struct format *format = parser->expr->format;

	for (unsigned int i = 0; i < format->fields_count; i++)
		if (!strncmp(format->fields[i].name, name, length) && !format->fields[i].name[length])
			return &format->fields[i];
	return NULL;
}

static bool is_one_of(const char *word, size_t length, const char *const *names)
{
	for (; *names; names++)
		if (strlen(*names) == length && !memcmp(word, *names, length))
			return true;
	return false;
}

#define IS(...) is_one_of(word, length, (const char *const[]){ __VA_ARGS__, NULL })

/* The value of an expression without fields; what it is made of is dropped. */
static bool take_constant(struct print_parser *parser, uint64_t *number)
{
	struct print_expr *expr = parser->expr;
	const struct format_field *field = expr->field;
	size_t nodes_count = expr->nodes_count, texts_used = expr->texts_used;
	bool is_constant, in_constant = parser->in_constant;
	const struct print_node *node;
	struct print_value value;

	expr->field = NULL;
	parser->in_constant = true;
	node = print_parse__expression(parser);
	is_constant = node && !parser->err && !expr->field && !print_node__eval(expr, node, NULL, &value, NULL, 0) &&
		      value.kind == PRINT_NUMBER;
	expr->field = field;
	expr->nodes_count = nodes_count;
	expr->texts_used = texts_used;
	parser->in_constant = in_constant;
	if (is_constant)
		*number = value.number;
	return is_constant;
}

/* Skips what is no constant: up to the comma after it. */
static void skip_unknown(struct print_parser *parser, const char *start)
{
	int depth = 0;

	if (parser->err == -EXDEV || parser->err == -EOPNOTSUPP)
		parser->err = 0;
	for (parser->at = start; parser->at < parser->end && *parser->at != '"' && (*parser->at != ',' || depth); parser->at++)
		depth += (*parser->at == '(') - (*parser->at == ')');
}

/* { -1, NULL } and { -1, 0 } end a list. */
static bool take_end(struct print_parser *parser)
{
	const char *start = parser->at;

	if ((print_token__take(parser, "((void *)0)") || print_token__take(parser, "0")) && print_token__take(parser, "}"))
		return true;
	parser->at = start;
	return false;
}

/* One "{ 1, "ONE" }", after its brace. False after the last one. */
static bool take_name(struct print_parser *parser)
{
	struct print_expr *expr = parser->expr;
	struct print_name *name = &expr->names[expr->names_count];
	const char *start = parser->at;
	bool is_constant = take_constant(parser, &name->value) && !parser->err;

	if (!is_constant)
		skip_unknown(parser, start);
	if (!print_token__expect(parser, ","))
		return false;
	if (take_end(parser))
		return false;
	if (!print_token__string(parser, &name->text, &name->length) || !print_token__expect(parser, "}"))
		return false;
	expr->names_count += is_constant;
	expr->is_partial |= !is_constant;
	return true;
}

/* ", { 1, "ONE" }, …" */
static void take_names(struct print_parser *parser, struct print_node *node)
{
	node->first = parser->expr->names_count;
	if (parser->in_constant)
		print_token__fail(parser, -EOPNOTSUPP);
	while (!parser->err && print_token__take(parser, ",") && print_token__take(parser, "{"))
		if (!take_name(parser))
			break;
	node->count = parser->expr->names_count - node->first;
	/* a list without a single constant tells nothing */
	if (!node->count && parser->expr->is_partial)
		print_token__fail(parser, -EOPNOTSUPP);
}

static const struct print_node *parse_flags(struct print_parser *parser)
{
	const struct print_node *value = print_parse__expression(parser);
	struct print_node *node = print_token__new(parser, NODE_FLAGS);

	if (!node || !print_token__expect(parser, ",") || !print_token__string(parser, &node->text, &node->length))
		return NULL;
	node->operands[0] = value;
	take_names(parser, node);
	return print_token__expect(parser, ")") ? node : NULL;
}

static const struct print_node *parse_symbolic(struct print_parser *parser)
{
	const struct print_node *value = print_parse__expression(parser);
	struct print_node *node = print_token__new(parser, NODE_SYMBOLIC);

	if (!node)
		return NULL;
	node->operands[0] = value;
	take_names(parser, node);
	return print_token__expect(parser, ")") ? node : NULL;
}

/* A function of up to three expressions. */
static const struct print_node *parse_call(struct print_parser *parser, enum print_op op, unsigned int count)
{
	const struct print_node *operands[3] = {};

	for (unsigned int i = 0; i < count; i++) {
		if (i && !print_token__expect(parser, ","))
			return NULL;
		operands[i] = print_parse__expression(parser);
		if (!operands[i])
			return NULL;
	}
	return print_token__expect(parser, ")") ? print_token__new_parent(parser, op, operands[0], operands[1], operands[2]) : NULL;
}

/* A function that takes the name of a field. */
static const struct print_node *parse_getter(struct print_parser *parser, enum print_op op)
{
	const char *name;
	size_t length = print_token__word(parser, &name);

	if (!length || !print_token__expect(parser, ")"))
		return print_token__fail(parser, -EOPNOTSUPP);
	return print_function__field(parser, op, print_function__find(parser, name, length));
}

/* __print_dynamic_array(FIELD, SIZE): the whole of it */
static const struct print_node *parse_dynamic_array(struct print_parser *parser)
{
	const struct print_node *size, *data;
	const char *name;
	size_t length = print_token__word(parser, &name);

	data = print_function__field(parser, NODE_FIELD, print_function__find(parser, name, length));
	if (!data || !print_token__expect(parser, ","))
		return NULL;
	size = print_parse__expression(parser);
	if (!size || !print_token__expect(parser, ")"))
		return NULL;
	return print_token__new_parent(parser, NODE_ARRAY, data, NULL, size);
}

/* __builtin_expect(X, EXPECTED) */
static const struct print_node *parse_expect(struct print_parser *parser)
{
	const struct print_node *value = print_parse__expression(parser);
	uint64_t number;

	return value && print_token__expect(parser, ",") && take_constant(parser, &number) &&
	       print_token__expect(parser, ")") ? value : print_token__fail(parser, -EOPNOTSUPP);
}

static const struct print_node *parse_sizeof(struct print_parser *parser)
{
	struct print_node type = {};

	return print_token__type(parser, &type) ? print_token__new_number(parser, type.size, 8, true) :
	       print_token__fail(parser, -EOPNOTSUPP);
}

static const struct print_node *parse_in_seconds(struct print_parser *parser, enum print_op op)
{
	const struct print_node *value = print_parse__expression(parser);

	return value && print_token__expect(parser, ")") ? print_token__new_parent(parser, op, value, print_token__new_number(parser, 1000000000, 8, true), NULL) : NULL;
}

const struct print_node *print_function__parse(struct print_parser *parser, const char *word, size_t length)
{
	if (!print_token__expect(parser, "("))
		return NULL;
	if (IS("__print_flags", "__print_flags_u64"))
		return parse_flags(parser);
	if (IS("__print_symbolic", "__print_symbolic_u64"))
		return parse_symbolic(parser);
	if (IS("__print_hex"))
		return parse_call(parser, NODE_HEX, 2);
	if (IS("__print_hex_str"))
		return parse_call(parser, NODE_HEX_STRING, 2);
	if (IS("__print_array"))
		return parse_call(parser, NODE_ARRAY, 3);
	if (IS("__print_dynamic_array"))
		return parse_dynamic_array(parser);
	if (IS("__get_str", "__get_rel_str", "__get_dynamic_array", "__get_rel_dynamic_array", "__get_bitmask", "__get_rel_bitmask",
	       "__get_cpumask", "__get_rel_cpumask", "__get_sockaddr", "__get_rel_sockaddr"))
		return parse_getter(parser, NODE_FIELD);
	if (IS("__get_dynamic_array_len", "__get_rel_dynamic_array_len"))
		return parse_getter(parser, NODE_LENGTH);
	if (IS("__print_ns_to_secs"))
		return parse_in_seconds(parser, NODE_DIVIDE);
	if (IS("__print_ns_without_secs"))
		return parse_in_seconds(parser, NODE_MODULO);
	if (IS("__builtin_expect"))
		return parse_expect(parser);
	if (IS("sizeof"))
		return parse_sizeof(parser);
	/* these give the number that they take, in another type */
	if (IS("pte_val", "pmd_val", "pud_val", "p4d_val", "pgd_val", "native_make_pte", "native_make_pmd", "native_make_pud",
	       "native_make_p4d", "native_make_pgd")) {
		const struct print_node *value = print_parse__expression(parser);

		return value && print_token__expect(parser, ")") ? value : print_token__fail(parser, -EOPNOTSUPP);
	}
	return print_token__fail(parser, -EOPNOTSUPP);
}
