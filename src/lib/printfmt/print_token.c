/* SPDX-License-Identifier: BSD-2-Clause */
#include "print_token.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

const struct print_node *print_token__fail(struct print_parser *parser, int err)
{
	if (!parser->err)
		parser->err = err;
	return NULL;
}

void print_token__skip_space(struct print_parser *parser)
{
	while (parser->at < parser->end && isspace((unsigned char)*parser->at))
		parser->at++;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Takes a sign, which may be several characters. */
bool print_token__take(struct print_parser *parser, const char *sign)
{
	size_t length = strlen(sign);

	print_token__skip_space(parser);
	if ((size_t)(parser->end - parser->at) < length || memcmp(parser->at, sign, length))
		return false;
	parser->at += length;
	return true;
}

bool print_token__expect(struct print_parser *parser, const char *sign)
{
	if (parser->err)
		return false;
	if (!print_token__take(parser, sign))
		print_token__fail(parser, -EOPNOTSUPP);
	return !parser->err;
}

/* Takes a word; its length, 0 where there is none. */
size_t print_token__word(struct print_parser *parser, const char **word)
{
	print_token__skip_space(parser);
	*word = parser->at;
	if (parser->at < parser->end && !isdigit((unsigned char)*parser->at))
		while (parser->at < parser->end && is_word(*parser->at))
			parser->at++;
	return (size_t)(parser->at - *word);
}

struct print_node *print_token__new(struct print_parser *parser, enum print_op op)
{
	struct print_expr *expr = parser->expr;
	struct print_node *node;

	/* there is room for as many as the text has characters */
	if (parser->err || expr->nodes_count == expr->nodes_max) {
		print_token__fail(parser, -EOPNOTSUPP);
		return NULL;
	}
	node = &expr->nodes[expr->nodes_count++];
	*node = (struct print_node){ .op = op };
	return node;
}

const struct print_node *print_token__new_parent(struct print_parser *parser, enum print_op op, const struct print_node *first,
					   const struct print_node *second, const struct print_node *third)
{
	struct print_node *node = first ? print_token__new(parser, op) : NULL;

	if (!node)
		return print_token__fail(parser, -EOPNOTSUPP);
	node->operands[0] = first;
	node->operands[1] = second;
	node->operands[2] = third;
	return node;
}

const struct print_node *print_token__new_number(struct print_parser *parser, uint64_t number, unsigned int size, bool is_unsigned)
{
	struct print_node *node = print_token__new(parser, NODE_NUMBER);

	if (!node)
		return NULL;
	node->number = number;
	node->size = size;
	node->is_unsigned = is_unsigned;
	return node;
}

/* ---- constants */

/* The type of a number is the first of int, long and, if it is no decimal one, their unsigned ones, that has it. */
const struct print_node *print_token__number(struct print_parser *parser)
{
	const char *digits = "0123456789abcdef";
	unsigned int base = 10, size;
	uint64_t number = 0;
	bool has_u = false, has_l = false, has_digits = false;

	if (*parser->at == '0') {
		base = 8;
		if (parser->end - parser->at > 2 && (parser->at[1] | 0x20) == 'x') {
			base = 16;
			parser->at += 2;
		}
	}
	for (; parser->at < parser->end; parser->at++) {
		const char *digit = memchr(digits, tolower((unsigned char)*parser->at), base);

		if (!digit)
			break;
		has_digits = true;
		if (number > (UINT64_MAX - (uint64_t)(digit - digits)) / base)
			return print_token__fail(parser, -EOPNOTSUPP);
		number = number * base + (uint64_t)(digit - digits);
	}
	for (; parser->at < parser->end && strchr("uUlL", *parser->at) && *parser->at; parser->at++) {
		has_u |= (*parser->at | 0x20) == 'u';
		has_l |= (*parser->at | 0x20) == 'l';
	}
	if (!has_digits || (parser->at < parser->end && is_word(*parser->at)))
		return print_token__fail(parser, -EOPNOTSUPP);
	size = has_l || number > UINT32_MAX || (number > INT32_MAX && !has_u && base == 10) ? 8 : 4;
	has_u |= number > (size == 8 ? (uint64_t)INT64_MAX : INT32_MAX);
	return print_token__new_number(parser, number, size, has_u);
}

/* One character of a string or a character constant; \n, \" and the like are one. */
static char take_character(struct print_parser *parser)
{
	static const char letters[] = "ntr0ab", characters[] = "\n\t\r\0\a\b";
	const char *letter;

	if (*parser->at != '\\' || parser->at + 1 == parser->end)
		return *parser->at++;
	letter = parser->at[1] ? strchr(letters, parser->at[1]) : NULL;
	parser->at += 2;
	return letter ? characters[letter - letters] : parser->at[-1];
}

const struct print_node *print_token__character(struct print_parser *parser)
{
	char c;

	if (parser->end - parser->at < 3)
		return print_token__fail(parser, -EOPNOTSUPP);
	parser->at++;
	c = take_character(parser);
	if (parser->at == parser->end || *parser->at++ != '\'')
		return print_token__fail(parser, -EOPNOTSUPP);
	return print_token__new_number(parser, (uint64_t)c, 4, false);
}

/* One string, which may be written as several. */
bool print_token__string(struct print_parser *parser, size_t *text, size_t *length)
{
	struct print_expr *expr = parser->expr;

	print_token__skip_space(parser);
	*text = expr->texts_used;
	if (parser->at == parser->end || *parser->at != '"') {
		print_token__fail(parser, -EOPNOTSUPP);
		return false;
	}
	for (; parser->at < parser->end && *parser->at == '"'; print_token__skip_space(parser)) {
		parser->at++;
		while (parser->at < parser->end && *parser->at != '"')
			expr->texts[expr->texts_used++] = take_character(parser);
		if (parser->at == parser->end) {
			print_token__fail(parser, -EOPNOTSUPP);
			return false;
		}
		parser->at++;
	}
	*length = expr->texts_used - *text;
	return true;
}

const struct print_node *print_token__string_node(struct print_parser *parser)
{
	struct print_node *node = print_token__new(parser, NODE_STRING);

	return node && print_token__string(parser, &node->text, &node->length) ? node : NULL;
}

/* ---- types */

/* Those that format__type_size() does not know, as no field has them. */
static const struct {
	const char *name;
	unsigned int size;
	bool is_unsigned;
} more_types[] = {
	{ "loff_t", 8, false }, { "size_t", 8, true }, { "ssize_t", 8, false }, { "sector_t", 8, true }, { "pgoff_t", 8, true },
	{ "ktime_t", 8, false }, { "phys_addr_t", 8, true }, { "dma_addr_t", 8, true }, { "__kernel_rwf_t", 4, false },
	{ "long unsigned int", 8, true }, { "long int", 8, false }, { "long long int", 8, false }, { "long long unsigned int", 8, true },
	{ "unsigned short int", 2, true }, { "short int", 2, false }, { "__kernel_size_t", 8, true }, { "uintptr_t", 8, true },
};

/* Fills in the type of the name; whether there is one. */
static bool find_type(struct print_node *node, const char *name)
{
	bool is_signed = false;

	node->is_bool = !strcmp(name, "bool") || !strcmp(name, "_Bool");
	node->size = format__type_size(name, &is_signed);
	node->is_unsigned = !is_signed;
	for (size_t i = 0; !node->size && i < sizeof(more_types) / sizeof(*more_types); i++) {
		if (strcmp(more_types[i].name, name))
			continue;
		node->size = more_types[i].size;
		node->is_unsigned = more_types[i].is_unsigned;
	}
	return node->size != 0;
}

/* "unsigned long)", "const struct page *)": fills in the type. Whether it is one, with the parenthesis; else nothing is taken. */
bool print_token__type(struct print_parser *parser, struct print_node *node)
{
	const char *start = parser->at, *word;
	char name[64] = "";
	size_t used = 0, length;

	while ((length = print_token__word(parser, &word))) {
		if ((length == 5 && !memcmp(word, "const", 5)) || used + length + 2 > sizeof(name)) {
			if (length == 5)
				continue;
			break;
		}
		if (used)
			name[used++] = ' ';
		memcpy(name + used, word, length);
		used += length;
		name[used] = 0;
	}
	if (used && print_token__take(parser, "*")) {
		while (print_token__take(parser, "*"))
			;
		*node = (struct print_node){ .op = NODE_CAST, .size = 8, .is_unsigned = true };
		if (print_token__take(parser, ")"))
			return true;
	} else if (used && print_token__take(parser, ")") && find_type(node, name)) {
		return true;
	}
	parser->at = start;
	return false;
}
