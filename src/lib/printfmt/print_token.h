/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of print_expr: the words, numbers, strings and types of an expression's text, and new nodes of its tree. */
#ifndef PROBELIGHT_PRINT_TOKEN_H
#define PROBELIGHT_PRINT_TOKEN_H

#include "print_node.h"

struct print_parser {
	struct print_expr *expr;
	const char *at, *end;
	int depth;
	bool in_constant;	/* where lists of names cannot be */
	int err;		/* the first error; nothing is taken after it */
};

/* Remembers the error. NULL. */
const struct print_node *print_token__fail(struct print_parser *parser, int err);

void print_token__skip_space(struct print_parser *parser);

/* Takes a sign, which may be several characters, if it is there; expect(): else it is an error. */
bool print_token__take(struct print_parser *parser, const char *sign);
bool print_token__expect(struct print_parser *parser, const char *sign);

/* Takes a word; its length, 0 where there is none. */
size_t print_token__word(struct print_parser *parser, const char **word);

/* One string, which may be written as several; into the expression's texts. */
bool print_token__string(struct print_parser *parser, size_t *text, size_t *length);
const struct print_node *print_token__string_node(struct print_parser *parser);

/* A number, which begins with a digit; a character in quotes. */
const struct print_node *print_token__number(struct print_parser *parser);
const struct print_node *print_token__character(struct print_parser *parser);

/* "unsigned long)", "const struct page *)": fills in the type. Whether it is one, with the parenthesis; else nothing is taken. */
bool print_token__type(struct print_parser *parser, struct print_node *node);

/* Nodes of the tree; NULL after an error, and where there are too many. new_parent(): NULL too without its first operand. */
struct print_node *print_token__new(struct print_parser *parser, enum print_op op);
const struct print_node *print_token__new_parent(struct print_parser *parser, enum print_op op, const struct print_node *first,
						 const struct print_node *second, const struct print_node *third);
const struct print_node *print_token__new_number(struct print_parser *parser, uint64_t number, unsigned int size, bool is_unsigned);

/* print_parse.c: an expression, up to what cannot be part of one. */
const struct print_node *print_parse__expression(struct print_parser *parser);

/* print_function.c: the call of the function `word`, which is followed by its arguments. */
const struct print_node *print_function__parse(struct print_parser *parser, const char *word, size_t length);

/* The same: a field by its name, or NULL; a node of the field, which must be the only one of the expression. */
const struct format_field *print_function__find(const struct print_parser *parser, const char *name, size_t length);
const struct print_node *print_function__field(struct print_parser *parser, enum print_op op, const struct format_field *field);

#endif
