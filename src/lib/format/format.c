/* SPDX-License-Identifier: BSD-2-Clause */
#include "format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The shortest line that is a field: the number of fields is bounded by it. */
#define FIELD_LINE_MIN (sizeof("field:a b;offset:0;size:0;signed:0;\n") - 1)

#define ID_MAX 0xffffffffU

struct parser {
	const char *pos, *end;
	char *strings;		/* where the next string goes; the room was reckoned before */
	unsigned line;		/* of the line that next_line() gave last */
	const char *why;
};

static int fail(struct parser *parser, const char *why)
{
	parser->why = why;
	return -EINVAL;
}

static const char *copy(struct parser *parser, const char *start, const char *end)
{
	char *string = parser->strings;
	size_t length = (size_t)(end - start);

	memcpy(string, start, length);
	string[length] = 0;
	parser->strings += length + 1;
	return string;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static const char *skip_blanks(const char *pos, const char *end)
{
	while (pos < end && is_blank(*pos))
		pos++;
	return pos;
}

static const char *trim_end(const char *start, const char *end)
{
	while (end > start && is_blank(end[-1]))
		end--;
	return end;
}

/* The line's bounds, without the newline. */
static int next_line(struct parser *parser, const char **start, const char **end)
{
	const char *newline;

	parser->line++;
	newline = memchr(parser->pos, '\n', (size_t)(parser->end - parser->pos));
	if (!newline)
		return fail(parser, parser->pos == parser->end ? "the text ends here, before its print fmt" :
								 "the text ends in the middle of a line");
	*start = parser->pos;
	*end = newline;
	parser->pos = newline + 1;
	return 0;
}

/*
 * Moves *pos behind word, which must be the next thing after blanks.  Inline, so that the compiler knows the word: a
 * third of the parser's time went into calls of memcmp() for a few bytes.
 */
static inline __attribute__((always_inline)) bool skip_word(const char **pos, const char *end, const char *word,
							    size_t length)
{
	const char *start = skip_blanks(*pos, end);

	if ((size_t)(end - start) < length || memcmp(start, word, length))
		return false;
	*pos = start + length;
	return true;
}

#define SKIP_WORD(pos, end, word) skip_word(pos, end, word, sizeof(word) - 1)

/* A decimal number up to max; moves *pos behind it. */
static bool parse_number(const char **pos, const char *end, unsigned max, unsigned *number)
{
	const char *p = *pos;
	unsigned long long value = 0;

	if (p == end || !is_digit(*p))
		return false;
	for (; p < end && is_digit(*p); p++) {
		value = value * 10 + (unsigned)(*p - '0');
		if (value > max)
			return false;
	}
	*pos = p;
	*number = (unsigned)value;
	return true;
}

static const struct {
	const char *name;
	unsigned char size;
	bool is_signed;
} known_types[] = {
	{ "char", 1, true }, { "unsigned char", 1, false }, { "signed char", 1, true },
	{ "u8", 1, false }, { "__u8", 1, false }, { "uint8_t", 1, false }, { "bool", 1, false },
	{ "s8", 1, true }, { "__s8", 1, true }, { "int8_t", 1, true },
	{ "short", 2, true }, { "unsigned short", 2, false },
	{ "u16", 2, false }, { "__u16", 2, false }, { "uint16_t", 2, false }, { "umode_t", 2, false },
	{ "s16", 2, true }, { "__s16", 2, true }, { "int16_t", 2, true },
	{ "__le16", 2, false }, { "__be16", 2, false },
	{ "int", 4, true }, { "unsigned int", 4, false }, { "unsigned", 4, false },
	{ "u32", 4, false }, { "__u32", 4, false }, { "uint32_t", 4, false },
	{ "s32", 4, true }, { "__s32", 4, true }, { "int32_t", 4, true },
	{ "__le32", 4, false }, { "__be32", 4, false },
	{ "pid_t", 4, true }, { "uid_t", 4, false }, { "gid_t", 4, false }, { "qid_t", 4, false },
	{ "old_uid_t", 2, false }, { "old_gid_t", 2, false }, { "key_t", 4, true }, { "key_serial_t", 4, true },
	{ "clockid_t", 4, true }, { "timer_t", 4, true }, { "mqd_t", 4, true }, { "dev_t", 4, false },
	{ "rwf_t", 4, true }, { "__poll_t", 4, false }, { "gfp_t", 4, false }, { "fmode_t", 4, false },
	{ "long", 8, true }, { "unsigned long", 8, false },
	{ "long long", 8, true }, { "unsigned long long", 8, false },
	{ "u64", 8, false }, { "__u64", 8, false }, { "uint64_t", 8, false },
	{ "s64", 8, true }, { "__s64", 8, true }, { "int64_t", 8, true },
	{ "__le64", 8, false }, { "__be64", 8, false },
	{ "size_t", 8, false }, { "ssize_t", 8, true }, { "loff_t", 8, true }, { "off_t", 8, true },
	{ "sector_t", 8, false }, { "ino_t", 8, false }, { "ktime_t", 8, true }, { "uintptr_t", 8, false },
	{ "dma_addr_t", 8, false }, { "phys_addr_t", 8, false }, { "resource_size_t", 8, false },
	{ "aio_context_t", 8, false }, { "cap_user_header_t", 8, false }, { "cap_user_data_t", 8, false },
	{ "__sighandler_t", 8, false },
	/* as the element of a dynamic field: a bitmap of unsigned longs */
	{ "cpumask_t", 8, false },
};

unsigned format__type_size(const char *type, bool *is_signed)
{
	if (!strncmp(type, "const ", 6))
		type += 6;
	if (strchr(type, '*') || !strncmp(type, "enum ", 5)) {
		if (is_signed)
			*is_signed = false;
		return strchr(type, '*') ? 8 : 4;
	}
	for (size_t i = 0; i < sizeof(known_types) / sizeof(*known_types); i++) {
		if (strcmp(type, known_types[i].name))
			continue;
		if (is_signed)
			*is_signed = known_types[i].is_signed;
		return known_types[i].size;
	}
	return 0;
}

/* The "[" that opens the brackets which end at end, several pairs taken as one; NULL: they do not match. */
static const char *brackets_start(const char *start, const char *end)
{
	const char *open = NULL;
	int depth = 0;

	for (const char *p = end; p > start; ) {
		p--;
		if (*p == ']') {
			depth++;
		} else if (*p == '[') {
			open = p;
			if (!--depth && (p == start || p[-1] != ']'))
				return open;
		}
	}
	return NULL;
}

/* Whether dim, behind the first bracket of "[][3]", says how many texts there are, each with a u32. */
static bool parse_texts(const char *dim, const char *end, struct format_field *field)
{
	unsigned number;

	if (!dim || end - dim < 3 || memcmp(dim, "][", 2))
		return false;
	dim += 2;
	if (!parse_number(&dim, end, FORMAT_TEXTS_MAX, &number) || dim != end || !number || field->size != 4 * number ||
	    field->loc != FORMAT_DATA_LOC || strcmp(field->type, "char"))
		return false;
	field->array_len = number;
	return true;
}

/*
 * "const char * filename", "char comm[16]", "__u8 buf[32 + 2]", "__data_loc char[] msg", "__data_loc cpumask_t mask",
 * "__rel_loc char msg[]".  field->size is known already.
 */
static int parse_decl(struct parser *parser, const char *start, const char *end, struct format_field *field)
{
	const char *name_end = end, *name, *type = start, *type_end, *dim = NULL, *dim_end = NULL;
	unsigned number;

	for (const char *p = start; p < end; p++)
		if (*p < ' ' || *p > '~')
			return fail(parser, "the field's declaration has bytes that are no printable ASCII");

	if (SKIP_WORD(&type, end, "__data_loc "))
		field->loc = FORMAT_DATA_LOC;
	else if (SKIP_WORD(&type, end, "__rel_loc "))
		field->loc = FORMAT_REL_LOC;
	type = skip_blanks(type, end);

	if (end > type && end[-1] == ']') {
		dim = brackets_start(type, end);
		if (!dim)
			return fail(parser, "the field's brackets do not match");
		name_end = trim_end(type, dim);
		dim++;
		dim_end = end - 1;
	}
	for (name = name_end; name > type && is_word(name[-1]); )
		name--;
	if (name == name_end || is_digit(*name))
		return fail(parser, "the field has no name");
	type_end = trim_end(type, name);
	if (type_end > type && type_end[-1] == ']') {
		if (dim)
			return fail(parser, "the field has brackets on both sides of its name");
		dim = brackets_start(type, type_end);
		if (!dim)
			return fail(parser, "the field's brackets do not match");
		dim++;
		dim_end = type_end - 1;
		type_end = trim_end(type, dim - 1);
	}
	if (type_end == type)
		return fail(parser, "the field has no type");
	if (name_end - name > FORMAT_NAME_MAX)
		return fail(parser, "the field's name has more than 255 characters");

	field->decl = copy(parser, start, end);
	field->name = copy(parser, name, name_end);
	field->type = copy(parser, type, type_end);
	field->is_array = dim;
	if (field->loc != FORMAT_PLAIN) {
		if (!parse_texts(dim, dim_end, field) && field->size != 4)
			return fail(parser, "the field is a __data_loc or __rel_loc, but not of 4 bytes");
		field->elem_size = format__type_size(field->type, NULL);
	} else if (!field->is_array) {
		field->elem_size = field->size;
	} else if (parse_number(&dim, dim_end, FORMAT_RECORD_MAX, &number) && dim == dim_end && number) {
		field->array_len = number;
		field->elem_size = field->size / number;
		if (field->size % number)
			return fail(parser, "the field's size is no multiple of its number of elements");
	} else {
		/* "[]", or an expression that only the kernel's compiler can tell: "[30+1]", "[sizeof(struct x)]" */
		field->elem_size = format__type_size(field->type, NULL);
		if (field->elem_size && field->size % field->elem_size == 0)
			field->array_len = field->size / field->elem_size;
	}
	return 0;
}

static int parse_field(struct parser *parser, const char *pos, const char *end, struct format_field *field)
{
	const char *decl, *decl_end;
	unsigned is_signed;

	if (!SKIP_WORD(&pos, end, "field:"))
		return fail(parser, "a line that starts with \"field:\" is expected here");
	decl = skip_blanks(pos, end);
	decl_end = memchr(decl, ';', (size_t)(end - decl));
	if (!decl_end)
		return fail(parser, "a semicolon is missing");
	pos = decl_end + 1;
	if (!SKIP_WORD(&pos, end, "offset:"))
		return fail(parser, "\"offset:\" is expected after the field's declaration and its semicolon");
	if (!parse_number(&pos, end, FORMAT_RECORD_MAX, &field->offset))
		return fail(parser, "the offset is no number, or beyond the end of any record");
	if (!SKIP_WORD(&pos, end, ";"))
		return fail(parser, "a semicolon is missing after the offset");
	if (!SKIP_WORD(&pos, end, "size:"))
		return fail(parser, "\"size:\" is expected after the offset");
	if (!parse_number(&pos, end, FORMAT_RECORD_MAX, &field->size) ||
	    field->offset + field->size > FORMAT_RECORD_MAX)
		return fail(parser, "the size is no number, or beyond the end of any record");
	if (!SKIP_WORD(&pos, end, ";"))
		return fail(parser, "a semicolon is missing after the size");
	if (!SKIP_WORD(&pos, end, "signed:") || !parse_number(&pos, end, 1, &is_signed))
		return fail(parser, "\"signed:0\" or \"signed:1\" is expected after the size");
	if (!SKIP_WORD(&pos, end, ";"))
		return fail(parser, "a semicolon is missing after signed");
	if (skip_blanks(pos, end) != end)
		return fail(parser, "there is more on the line than a field");
	field->is_signed = is_signed;
	return parse_decl(parser, decl, trim_end(decl, decl_end), field);
}

static bool is_name_character(char c)
{
	return is_word(c) || c == '-' || c == '.';
}

bool format__is_name(const char *name)
{
	const char *end = name;

	while (is_name_character(*end))
		end++;
	return *name && !*end;
}

static int parse_head(struct parser *parser, struct format *format)
{
	const char *pos, *end;
	int err;

	err = next_line(parser, &pos, &end);
	if (err)
		return err;
	if (!SKIP_WORD(&pos, end, "name:"))
		return fail(parser, "\"name:\" is expected first");
	pos = skip_blanks(pos, end);
	for (const char *p = pos; p < end; p++)
		if (!is_name_character(*p))
			return fail(parser, "the name of an event has letters, digits, \"_\", \"-\" and \".\"");
	if (pos == end)
		return fail(parser, "the name is empty");
	if (end - pos > FORMAT_NAME_MAX)
		return fail(parser, "the name has more than 255 characters");
	format->name = copy(parser, pos, end);

	err = next_line(parser, &pos, &end);
	if (err)
		return err;
	if (!SKIP_WORD(&pos, end, "ID:"))
		return fail(parser, "\"ID:\" is expected after the name");
	pos = skip_blanks(pos, end);
	if (!parse_number(&pos, end, ID_MAX, &format->id) || skip_blanks(pos, end) != end)
		return fail(parser, "the ID is not a number");

	err = next_line(parser, &pos, &end);
	if (err)
		return err;
	if (!SKIP_WORD(&pos, end, "format:") || skip_blanks(pos, end) != end)
		return fail(parser, "\"format:\" is expected after the ID");
	return 0;
}

/* The common fields, an empty line, the own fields, an empty line. */
static int parse_fields(struct parser *parser, struct format *format, struct format_field *fields, size_t room)
{
	unsigned empty_lines = 0, record_end = 0;

	for (;;) {
		struct format_field *field = &fields[format->fields_count];
		const char *pos, *end;
		int err;

		err = next_line(parser, &pos, &end);
		if (err)
			return err;
		if (skip_blanks(pos, end) == end) {
			if (++empty_lines == 2)
				return 0;
			format->common_count = format->fields_count;
			continue;
		}
		if (format->fields_count == room)
			return fail(parser, "there are more fields than the text has room for");
		memset(field, 0, sizeof(*field));
		field->is_common = !empty_lines;
		err = parse_field(parser, pos, end, field);
		if (err)
			return err;
		if (field->offset < record_end)
			return fail(parser, "the field overlaps the one before it");
		record_end = field->offset + field->size;
		format->fields_count++;
	}
}

static int parse_print_fmt(struct parser *parser, struct format *format)
{
	const char *pos = parser->pos, *end = parser->end;

	parser->line++;
	if (pos == end)
		return fail(parser, "the text ends here, before its print fmt");
	if (!SKIP_WORD(&pos, end, "print fmt:"))
		return fail(parser, "\"print fmt:\" is expected here");
	if (end[-1] != '\n')
		return fail(parser, "the text ends in the middle of the print fmt");
	pos = skip_blanks(pos, end - 1);
	format->print_fmt = copy(parser, pos, end - 1);
	return 0;
}

static unsigned line_of(const char *text, const char *pos)
{
	unsigned line = 1;

	for (; (text = memchr(text, '\n', (size_t)(pos - text))); text++)
		line++;
	return line;
}

int format__parse(struct format **format, const char *system, const char *text, size_t length,
		  struct format_error *error)
{
	struct parser parser = { .pos = text, .end = text + length };
	size_t fields_max, system_size = strlen(system) + 1;
	struct format_field *fields;
	struct format *parsed;
	const char *zero;
	int err;

	error->line = 0;
	if (!format__is_name(system)) {
		error->why = "the name of an event's system has letters, digits, \"_\", \"-\" and \".\"";
		return -EINVAL;
	}
	if (!length)
		parser.pos = parser.end = text = "";
	if (length > FORMAT_SIZE_MAX) {
		error->why = "it is larger than any format file";
		return -EFBIG;
	}
	zero = memchr(text, 0, length);
	if (zero) {
		error->line = line_of(text, zero);
		error->why = "it has a 0 byte, so the file is no text";
		return -EINVAL;
	}
	/*
	 * One allocation.  A field's strings are its declaration, and name and type out of it: with their 0 bytes less
	 * than twice the line they come from, of which "offset:…;" alone has more than three bytes.
	 */
	fields_max = length / FIELD_LINE_MIN;
	parsed = malloc(sizeof(*parsed) + fields_max * sizeof(*fields) + 2 * length + system_size + 8);
	if (!parsed) {
		error->why = "there is no memory for it";
		return -ENOMEM;
	}
	memset(parsed, 0, sizeof(*parsed));
	fields = (struct format_field *)(parsed + 1);
	parsed->fields = fields;
	parser.strings = (char *)(fields + fields_max);
	parsed->system = copy(&parser, system, system + system_size - 1);

	err = parse_head(&parser, parsed);
	if (!err)
		err = parse_fields(&parser, parsed, fields, fields_max);
	if (!err)
		err = parse_print_fmt(&parser, parsed);
	if (err) {
		error->line = parser.line;
		error->why = parser.why;
		free(parsed);
		return err;
	}
	*format = parsed;
	return 0;
}

void format__free(struct format *format)
{
	if (format)
		format__free(format->base);
	free(format);
}

const struct format_field *format__open_tail(struct format *format)
{
	struct format_field *last = format->fields_count > format->common_count ?
				    (struct format_field *)&format->fields[format->fields_count - 1] : NULL;

	if (!last || last->loc != FORMAT_PLAIN || last->size || !last->is_array)
		return NULL;
	last->loc = FORMAT_DATA_LOC;
	last->size = 4;
	return last;
}

const struct format_field *format__field(const struct format *format, const char *name)
{
	for (unsigned i = 0; i < format->fields_count; i++)
		if (!strcmp(format->fields[i].name, name))
			return &format->fields[i];
	return NULL;
}
