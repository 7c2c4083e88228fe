/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of print_expr: its tree, which print_parse.c makes and print_expr.c evaluates. */
#ifndef PROBELIGHT_PRINT_NODE_H
#define PROBELIGHT_PRINT_NODE_H

#include "print_expr.h"

enum print_op {
	/* leaves */
	NODE_NUMBER, NODE_STRING, NODE_FIELD, NODE_LENGTH,
	/* of one operand; an ELEMENT's and an ADDRESS's is the field */
	NODE_CAST, NODE_MINUS, NODE_NOT, NODE_INVERT, NODE_ELEMENT, NODE_ADDRESS,
	/* of two */
	NODE_MULTIPLY, NODE_DIVIDE, NODE_MODULO, NODE_ADD, NODE_SUBTRACT, NODE_LEFT, NODE_RIGHT, NODE_LESS, NODE_GREATER, NODE_NOT_GREATER,
	NODE_NOT_LESS, NODE_EQUAL, NODE_UNEQUAL, NODE_AND, NODE_XOR, NODE_OR, NODE_BOTH, NODE_EITHER,
	/* of three */
	NODE_CHOICE,
	/* functions */
	NODE_FLAGS, NODE_SYMBOLIC, NODE_HEX, NODE_HEX_STRING, NODE_ARRAY,
};

/* A constant of C, and its type. */
struct print_node {
	enum print_op op;
	unsigned int size;		/* NUMBER, CAST: bytes of the type */
	bool is_unsigned, is_bool;	/* the same */
	uint64_t number;		/* NUMBER */
	size_t text, length;		/* STRING, and what is between FLAGS: in the texts */
	size_t first, count;		/* FLAGS, SYMBOLIC: in the names */
	const struct print_node *operands[3];
};

struct print_name {
	uint64_t value;
	size_t text, length;
};

struct print_expr {
	const struct format *format;
	const struct format_field *field;
	const struct print_node *root;
	bool is_partial;
	struct print_node *nodes;
	size_t nodes_count, nodes_max;
	struct print_name *names;
	size_t names_count, names_max;
	char *texts;
	size_t texts_used;		/* never more than the text that is parsed */
};

/* Evaluates a node, as print_expr__eval(). */
int print_node__eval(const struct print_expr *expr, const struct print_node *node, const struct print_field *field,
		     struct print_value *value,
		     char *to, size_t room);

#endif
