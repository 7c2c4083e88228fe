/* SPDX-License-Identifier: BSD-2-Clause */
#include "declaration.h"

#include <string.h>

#include "ctx.h"

#define COMMENT_WIDTH 100
#define COMMENT_COLUMN 48

/* "__u32" for 4 bytes; NULL for a size that no number has. */
static const char *number(unsigned size, bool is_signed)
{
	switch (size) {
	case 1: return is_signed ? "__s8" : "__u8";
	case 2: return is_signed ? "__s16" : "__u16";
	case 4: return is_signed ? "__s32" : "__u32";
	case 8: return is_signed ? "__s64" : "__u64";
	default: return NULL;
	}
}

void declaration__of(const struct format *format, const struct format_field *field, char *text, size_t size)
{
	unsigned field_size = field->size, elem_size = field->elem_size, length;
	bool is_signed = field->is_signed, is_char = !strcmp(field->type, "char"), known_sign;
	bool is_string = !strcmp(field->type, "char *") || !strcmp(field->type, "const char *");
	char name[CTX_MEMBER_NAME_SIZE];
	const char *type;

	ctx__member_name(field, name);
	if (field->loc != FORMAT_PLAIN) {
		if (format_field__has_texts(field))
			snprintf(text, size, "__u32 %s[%u]", name, field->array_len);
		else
			snprintf(text, size, "__u32 %s", name);
		return;
	}
	/* an argument's slot has 8 bytes, and its type fewer */
	if (ctx__is_syscall(format) && format__type_size(field->type, &known_sign)) {
		field_size = format__type_size(field->type, &is_signed);
		elem_size = field_size;
	}
	if (ctx__is_scalar(field)) {
		type = number(field_size, is_signed);
		if (field_size == 8 && strchr(field->type, '*'))
			snprintf(text, size, "%s%s *%s", strncmp(field->type, "const ", 6) ? "" : "const ",
				 is_string ? "char" : "void", name);
		else
			snprintf(text, size, "%s %s", is_char ? "char" : type, name);
		return;
	}
	type = field->is_array ? number(elem_size, is_signed) : NULL;
	length = type ? field_size / elem_size : field_size;
	snprintf(text, size, "%s %s[%u]", is_char && elem_size == 1 ? "char" : type ? type : "__u8", name, length);
}

/* Writes text into a comment: nothing in it ends the comment or starts another, and nothing but ASCII is in it. */
static void put_comment(FILE *to, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];
		char next = i + 1 < length ? text[i + 1] : 0;

		if (c == '\n')
			fputs("\\n", to);
		else if (c < ' ' || c > '~')
			fprintf(to, "\\x%02x", c);
		else
			fputc(c, to);
		if ((c == '*' && next == '/') || (c == '/' && next == '*'))
			fputc(' ', to);
	}
}

/* The type as the kernel writes it, without the name: "__data_loc char[]", "char[16]", "const char *". */
static void put_type(FILE *to, const struct format_field *field)
{
	static const char *const prefixes[] = {
		[FORMAT_PLAIN] = "", [FORMAT_DATA_LOC] = "__data_loc ", [FORMAT_REL_LOC] = "__rel_loc ",
	};
	const char *dim = field->is_array ? strchr(field->decl, '[') : NULL;

	fputs(prefixes[field->loc], to);
	put_comment(to, field->type, strlen(field->type));
	if (dim)
		put_comment(to, dim, (size_t)(strrchr(dim, ']') + 1 - dim));
}

/* How a program gets at a dynamic field (lib/bpf/tp.bpf.h). */
static void put_accessor(FILE *to, const struct format_field *field)
{
	const char *rel = field->loc == FORMAT_REL_LOC ? "rel_" : "";
	char name[CTX_MEMBER_NAME_SIZE];

	fprintf(to, "; tp_%s%s(to, size, ctx, %s)", rel, strcmp(field->type, "char") ? "array" : "str",
	       ctx__member_name(field, name));
}

/* Also of "__data_loc_x" behind a __data_loc of the name x: C sees one name. */
static bool is_second(const struct format *format, const struct format_field *field)
{
	char name[CTX_MEMBER_NAME_SIZE];

	return ctx__field(format, ctx__member_name(field, name)) != field;
}

static void put_field(FILE *to, const struct format *format, const struct format_field *field)
{
	char declaration[DECLARATION_SIZE];
	int column, offset = ctx__offset(format, field);

	if (offset < 0)
		return;
	if (is_second(format, field)) {
		fprintf(to, "\t/* at %d: ", offset);
		put_type(to, field);
		fprintf(to, ", a second %s */\n", field->name);
		return;
	}
	declaration__of(format, field, declaration, sizeof(declaration));
	column = 8 + fprintf(to, "\t%s;", declaration) - 1;
	do {
		fputc('\t', to);
		column = (column / 8 + 1) * 8;
	} while (column < COMMENT_COLUMN);
	fprintf(to, "/* at %d: ", offset);
	put_type(to, field);
	if (field->loc != FORMAT_PLAIN)
		put_accessor(to, field);
	fprintf(to, " */\n");
}

/* The print fmt, broken at spaces. */
static void put_print_fmt(FILE *to, const char *text)
{
	while (*text) {
		size_t length = strlen(text), end = length;

		if (length > COMMENT_WIDTH) {
			for (end = COMMENT_WIDTH; end && text[end] != ' '; end--)
				;
			if (!end)
				end = strcspn(text, " ");
		}
		fprintf(to, " * ");
		put_comment(to, text, end);
		fputc('\n', to);
		text += end;
		text += *text == ' ';
	}
}

void declaration__put_struct(const struct format *format, const char *tag, FILE *to)
{
	char event[2 * FORMAT_NAME_MAX + 2];

	/* format__parse() refuses names that could end the comment; they are escaped here all the same, the slash included */
	snprintf(event, sizeof(event), "%s/%s", format->system, format->name);
	fprintf(to, "\n/*\n * ");
	put_comment(to, event, strlen(event));
	fprintf(to, "\n *\n");
	put_print_fmt(to, format->print_fmt);
	fprintf(to, " */\nstruct %s {\n", tag);
	for (unsigned i = format->common_count; i < format->fields_count; i++)
		put_field(to, format, &format->fields[i]);
	fprintf(to, "} __attribute__((preserve_access_index));\n");
}
