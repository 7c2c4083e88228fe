/* SPDX-License-Identifier: BSD-2-Clause */
/* Evaluates what print_parse.c parsed. */
#include "print_expr.h"

#include <errno.h>
#include <string.h>

#include "lib/format/ctx.h"
#include "print_node.h"

struct text {
	char *start, *at, *end;
	bool is_cut;
};

static void put_bytes(struct text *text, const char *bytes, size_t length)
{
	if ((size_t)(text->end - text->at) < length) {
		text->is_cut = true;
		return;
	}
	if (length) {
		memcpy(text->at, bytes, length);
		text->at += length;
	}
}

static void put_string(struct text *text, const char *string)
{
	put_bytes(text, string, strlen(string));
}

static void put_hex(struct text *text, uint64_t number, int digits)
{
	char all[16];

	while (digits < 16 && number >> (4 * digits))
		digits++;
	for (int i = 0; i < digits; i++)
		all[i] = "0123456789abcdef"[number >> (4 * (digits - 1 - i)) & 15];
	put_bytes(text, all, (size_t)digits);
}

static int end_text(struct text *text, struct print_value *value)
{
	value->kind = PRINT_TEXT;
	value->bytes = text->start;
	value->length = (size_t)(text->at - text->start);
	return text->is_cut ? -E2BIG : 0;
}

/* What a number of the type has of the 64 bits. */
static uint64_t fit(uint64_t number, unsigned int size, bool is_unsigned)
{
	switch (size) {
	case 1:
		return is_unsigned ? (uint8_t)number : (uint64_t)(int8_t)number;
	case 2:
		return is_unsigned ? (uint16_t)number : (uint64_t)(int16_t)number;
	case 4:
		return is_unsigned ? (uint32_t)number : (uint64_t)(int32_t)number;
	}
	return number;
}

/* A number of the type as an operand: what is smaller than an int is one. */
static void set_number(struct print_value *value, uint64_t number, unsigned int size, bool is_unsigned)
{
	value->kind = PRINT_NUMBER;
	value->number = fit(number, size, is_unsigned);
	value->size = size < 4 ? 4 : size;
	value->is_unsigned = size >= 4 && is_unsigned;
}

static uint64_t read_number(const void *bytes, size_t size)
{
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	switch (size) {
	case 1:
		return *(const uint8_t *)bytes;
	case 2:
		memcpy(&two, bytes, 2);
		return two;
	case 4:
		memcpy(&four, bytes, 4);
		return four;
	}
	memcpy(&eight, bytes, 8);
	return eight;
}

static int eval_field(const struct print_expr *expr, const struct print_field *field, struct print_value *value)
{
	if (!ctx__is_scalar(expr->field) || expr->field->loc != FORMAT_PLAIN) {
		value->kind = PRINT_BYTES;
		value->bytes = field->bytes;
		value->length = field->size;
		return 0;
	}
	if (field->size != 1 && field->size != 2 && field->size != 4 && field->size != 8)
		return -EINVAL;
	set_number(value, read_number(field->bytes, field->size), (unsigned int)field->size, !field->is_signed);
	return 0;
}

/* The element of an array, with its bytes. */
static int eval_element(const struct print_expr *expr, const struct print_node *node, const struct print_field *field,
			struct print_value *value)
{
	unsigned int size = expr->field->elem_size;
	struct print_value index;
	int err = eval_field(expr, field, value);

	if (!err)
		err = print_node__eval(expr, node->operands[1], field, &index, NULL, 0);
	if (err || value->kind != PRINT_BYTES || index.kind != PRINT_NUMBER || (size != 1 && size != 2 && size != 4 && size != 8))
		return -EINVAL;
	if (index.number >= value->length / size)
		return -EINVAL;
	value->bytes += index.number * size;
	value->length -= index.number * size;
	set_number(value, read_number(value->bytes, size), size, !expr->field->is_signed);
	return 0;
}

/* &REC->array[3]: from there to the end */
static int eval_address(const struct print_expr *expr, const struct print_node *node, const struct print_field *field,
			struct print_value *value)
{
	const struct print_node *operand = node->operands[0];
	int err = operand->op == NODE_ELEMENT ? eval_element(expr, operand, field, value) : -EINVAL;

	if (operand->op == NODE_FIELD)
		err = eval_field(expr, field, value);
	if (!err && operand->op == NODE_FIELD && value->kind == PRINT_NUMBER) {
		value->bytes = field->bytes;
		value->length = field->size;
	}
	value->kind = PRINT_BYTES;
	return err;
}

static int eval_number(const struct print_expr *expr, const struct print_node *node, const struct print_field *field,
		       struct print_value *value)
{
	int err = node ? print_node__eval(expr, node, field, value, NULL, 0) : -EINVAL;

	return err ? err : value->kind == PRINT_NUMBER ? 0 : -EINVAL;
}

static int eval_unary(const struct print_expr *expr, const struct print_node *node, const struct print_field *field,
		      struct print_value *value)
{
	int err = eval_number(expr, node->operands[0], field, value);

	if (err)
		return err;
	switch (node->op) {
	case NODE_NOT:
		set_number(value, !value->number, 4, false);
		return 0;
	case NODE_MINUS:
		set_number(value, -value->number, value->size, value->is_unsigned);
		return 0;
	default:
		set_number(value, ~value->number, value->size, value->is_unsigned);
		return 0;
	}
}

static int divide(uint64_t left, uint64_t right, bool is_unsigned, bool wants_rest, uint64_t *result)
{
	/* the smallest number by -1 has no result */
	if (!right || (!is_unsigned && left == (uint64_t)INT64_MIN && right == UINT64_MAX))
		return -EINVAL;
	if (is_unsigned)
		*result = wants_rest ? left % right : left / right;
	else
		*result = (uint64_t)(wants_rest ? (int64_t)left % (int64_t)right : (int64_t)left / (int64_t)right);
	return 0;
}

static int shift(const struct print_value *left, uint64_t bits, bool to_left, uint64_t *result)
{
	if (bits >= 8 * left->size)
		return -EINVAL;
	if (to_left)
		*result = left->number << bits;
	else if (left->is_unsigned)
		*result = left->number >> bits;
	else
		*result = (uint64_t)((int64_t)left->number >> bits);
	return 0;
}

static bool compare(enum print_op op, uint64_t left, uint64_t right, bool is_unsigned)
{
	bool is_less = is_unsigned ? left < right : (int64_t)left < (int64_t)right;

	switch (op) {
	case NODE_LESS:
		return is_less;
	case NODE_NOT_LESS:
		return !is_less;
	case NODE_GREATER:
		return !is_less && left != right;
	case NODE_NOT_GREATER:
		return is_less || left == right;
	case NODE_EQUAL:
		return left == right;
	default:
		return left != right;
	}
}

static int eval_logic(const struct print_expr *expr, const struct print_node *node, const struct print_field *field,
		      struct print_value *value)
{
	int err = eval_number(expr, node->operands[0], field, value);

	if (!err && !value->number == (node->op == NODE_EITHER))
		err = eval_number(expr, node->operands[1], field, value);
	if (!err)
		set_number(value, value->number != 0, 4, false);
	return err;
}

static int eval_binary(const struct print_expr *expr, const struct print_node *node, const struct print_field *field,
		       struct print_value *value)
{
	struct print_value left, right;
	uint64_t result = 0, a, b;
	unsigned int size;
	bool is_unsigned;
	int err = eval_number(expr, node->operands[0], field, &left);

	if (!err)
		err = eval_number(expr, node->operands[1], field, &right);
	if (err)
		return err;
	if (node->op == NODE_LEFT || node->op == NODE_RIGHT) {
		err = shift(&left, right.number, node->op == NODE_LEFT, &result);
		set_number(value, result, left.size, left.is_unsigned);
		return err;
	}
	/* both become of the larger type, of the unsigned one where these are the same */
	size = left.size > right.size ? left.size : right.size;
	is_unsigned = (left.is_unsigned && left.size == size) || (right.is_unsigned && right.size == size);
	a = fit(left.number, size, is_unsigned);
	b = fit(right.number, size, is_unsigned);
	switch (node->op) {
	case NODE_MULTIPLY:
		result = a * b;
		break;
	case NODE_DIVIDE:
	case NODE_MODULO:
		err = divide(a, b, is_unsigned, node->op == NODE_MODULO, &result);
		break;
	case NODE_ADD:
		result = a + b;
		break;
	case NODE_SUBTRACT:
		result = a - b;
		break;
	case NODE_AND:
		result = a & b;
		break;
	case NODE_XOR:
		result = a ^ b;
		break;
	case NODE_OR:
		result = a | b;
		break;
	default:
		result = compare(node->op, a, b, is_unsigned);
		size = 4;
		is_unsigned = false;
	}
	set_number(value, result, size, is_unsigned);
	return err;
}

/* As trace_print_flags_seq() in kernel/trace/trace_output.c. */
static void put_flags(const struct print_expr *expr, const struct print_node *node, struct text *text, uint64_t flags)
{
	bool is_first = true;

	for (size_t i = node->first; i < node->first + node->count && flags; i++) {
		const struct print_name *name = &expr->names[i];

		if ((flags & name->value) != name->value)
			continue;
		flags &= ~name->value;
		if (!is_first)
			put_bytes(text, expr->texts + node->text, node->length);
		put_bytes(text, expr->texts + name->text, name->length);
		is_first = false;
	}
	if (!flags)
		return;
	if (!is_first)
		put_bytes(text, expr->texts + node->text, node->length);
	put_string(text, "0x");
	put_hex(text, flags, 1);
}

/* As trace_print_symbols_seq(). */
static void put_symbol(const struct print_expr *expr, const struct print_node *node, struct text *text, struct print_value *value)
{
	for (size_t i = node->first; i < node->first + node->count; i++) {
		const struct print_name *name = &expr->names[i];

		if (value->number != name->value)
			continue;
		put_bytes(text, expr->texts + name->text, name->length);
		return;
	}
	put_string(text, "0x");
	put_hex(text, value->number, 1);
	value->is_unnamed = true;
}

static int eval_names(const struct print_expr *expr, const struct print_node *node, const struct print_field *field,
		      struct print_value *value,
		      struct text *text)
{
	int err = eval_number(expr, node->operands[0], field, value);

	if (err)
		return err;
	if (node->op == NODE_FLAGS)
		put_flags(expr, node, text, value->number);
	else
		put_symbol(expr, node, text, value);
	return end_text(text, value);
}

/* As trace_print_hex_seq() and trace_print_array_seq(); no more than there is. */
static int eval_list(const struct print_expr *expr, const struct print_node *node, const struct print_field *field,
		     struct print_value *value,
		     struct text *text)
{
	bool is_array = node->op == NODE_ARRAY;
	struct print_value count = { .number = UINT64_MAX }, size = { .number = 1 };
	int err = print_node__eval(expr, node->operands[0], field, value, NULL, 0);

	if (!err && value->kind != PRINT_BYTES)
		err = -EINVAL;
	if (!err && node->operands[1])
		err = eval_number(expr, node->operands[1], field, &count);
	if (!err && is_array)
		err = eval_number(expr, node->operands[2], field, &size);
	if (err || (size.number != 1 && size.number != 2 && size.number != 4 && size.number != 8))
		return -EINVAL;
	put_string(text, is_array ? "{" : "");
	for (uint64_t i = 0; i < count.number && (i + 1) * size.number <= value->length && !text->is_cut; i++) {
		if (i && node->op != NODE_HEX_STRING)
			put_string(text, is_array ? "," : " ");
		put_string(text, is_array ? "0x" : "");
		put_hex(text, read_number(value->bytes + i * size.number, size.number), is_array ? 1 : 2);
	}
	put_string(text, is_array ? "}" : "");
	return end_text(text, value);
}

int print_node__eval(const struct print_expr *expr, const struct print_node *node, const struct print_field *field,
		     struct print_value *value,
		     char *to, size_t room)
{
	struct text text = { .start = to, .at = to, .end = to ? to + room : NULL };
	int err;

	*value = (struct print_value){};
	switch (node->op) {
	case NODE_NUMBER:
		set_number(value, node->number, node->size, node->is_unsigned);
		return 0;
	case NODE_STRING:
		value->kind = PRINT_TEXT;
		value->bytes = expr->texts + node->text;
		value->length = node->length;
		return 0;
	case NODE_FIELD:
		return field ? eval_field(expr, field, value) : -EINVAL;
	case NODE_LENGTH:
		set_number(value, field ? field->total : 0, 4, false);
		return field ? 0 : -EINVAL;
	case NODE_CAST:
		/* of an array or a text: a pointer to it */
		err = print_node__eval(expr, node->operands[0], field, value, to, room);
		if (!err && value->kind == PRINT_NUMBER)
			set_number(value, node->is_bool ? value->number != 0 : value->number, node->size, node->is_unsigned);
		return err;
	case NODE_MINUS:
	case NODE_NOT:
	case NODE_INVERT:
		return eval_unary(expr, node, field, value);
	case NODE_ELEMENT:
		return field ? eval_element(expr, node, field, value) : -EINVAL;
	case NODE_ADDRESS:
		return field ? eval_address(expr, node, field, value) : -EINVAL;
	case NODE_BOTH:
	case NODE_EITHER:
		return eval_logic(expr, node, field, value);
	case NODE_CHOICE:
		err = eval_number(expr, node->operands[0], field, value);
		return err ? err : print_node__eval(expr, node->operands[value->number ? 1 : 2], field, value, to, room);
	case NODE_FLAGS:
	case NODE_SYMBOLIC:
		return eval_names(expr, node, field, value, &text);
	case NODE_HEX:
	case NODE_HEX_STRING:
	case NODE_ARRAY:
		return eval_list(expr, node, field, value, &text);
	default:
		return eval_binary(expr, node, field, value);
	}
}

int print_expr__eval(const struct print_expr *expr, const struct print_field *field, struct print_value *value, char *to, size_t room)
{
	return print_node__eval(expr, expr->root, field, value, to, room);
}

const struct format_field *print_expr__field(const struct print_expr *expr)
{
	return expr->field;
}

static bool is_text(const struct print_node *node)
{
	if (node->op == NODE_CHOICE)
		return is_text(node->operands[1]) || is_text(node->operands[2]);
	return node->op == NODE_STRING || node->op >= NODE_FLAGS;
}

bool print_expr__is_text(const struct print_expr *expr)
{
	return is_text(expr->root);
}

bool print_expr__is_bare(const struct print_expr *expr)
{
	const struct print_node *node = expr->root;

	while ((node->op == NODE_CAST && !node->is_bool && node->size >= expr->field->elem_size) || node->op == NODE_ADDRESS)
		node = node->operands[0];
	return node->op == NODE_FIELD;
}

size_t print_expr__room(const struct print_expr *expr, size_t size)
{
	/* numbers; and of each byte of a list five characters, "0xff," */
	size_t room = 32 + expr->texts_used + 5 * size;

	for (size_t i = 0; i < expr->nodes_count; i++)
		room += expr->nodes[i].op == NODE_FLAGS ? expr->nodes[i].count * expr->nodes[i].length : 0;
	return room;
}

bool print_expr__is_partial(const struct print_expr *expr)
{
	return expr->is_partial;
}
