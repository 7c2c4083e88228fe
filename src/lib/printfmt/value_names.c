/* SPDX-License-Identifier: BSD-2-Clause */
#include "value_names.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format/events.h"
#include "lib/format/format.h"
#include "lib/kernel/tracefs.h"

struct name {
	uint64_t value;
	char *text;		/* in struct value_names.text */
};

struct value_names {
	char *text;		/* a copy of the print fmt */
	char *rest;		/* where the list begins in it, while that is not parsed; else NULL */
	bool are_flags;
	size_t count;
	struct name *list;
};

static char *skip_space(char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

/* Behind the word, or NULL if at does not begin with it. */
static char *skip_word(char *at, const char *word)
{
	size_t length = strlen(word);

	at = skip_space(at);
	return strncmp(at, word, length) ? NULL : at + length;
}

/* Behind a string in quotes, which are not part of *start and *end; NULL if there is none. */
static char *skip_string(char *at, char **start, char **end)
{
	at = skip_space(at);
	if (*at++ != '"')
		return NULL;
	*start = at;
	while (*at && *at != '"')
		at += *at == '\\' && at[1] ? 2 : 1;
	*end = at;
	return *at ? at + 1 : NULL;
}

/* Behind the comma that ends the function's first argument, if that is the field (with casts around it); else NULL. */
static char *skip_field(char *at, const char *field)
{
	char *end = strchr(at, ','), *rec = strstr(at, "REC->");
	size_t length = strlen(field);

	if (!end || !rec || rec > end || strncmp(rec + 5, field, length))
		return NULL;
	rec += 5 + length;
	/* the name goes on: another field, or a member of what this one points to */
	return isalnum((unsigned char)*rec) || *rec == '_' || !strncmp(rec, "->", 2) ? NULL : end + 1;
}

/* Where the first "{ VALUE, "NAME" }" of the field's list stands, or NULL; whether it is one of flags. */
static char *find_list(char *text, const char *field, bool *are_flags)
{
	static const char symbolic[] = "__print_symbolic(", flags[] = "__print_flags(";
	char *at, *start, *end;

	for (at = text; (at = strstr(at, "__print_")); at++) {
		bool has_separator = !strncmp(at, flags, strlen(flags));
		char *list = NULL;

		if (has_separator)
			list = skip_field(at + strlen(flags), field);
		else if (!strncmp(at, symbolic, strlen(symbolic)))
			list = skip_field(at + strlen(symbolic), field);
		if (list && has_separator) {
			list = skip_string(list, &start, &end);
			list = list ? skip_word(list, ",") : NULL;
		}
		*are_flags = has_separator;
		if (list)
			return list;
	}
	return NULL;
}

#define DEPTH_MAX 64	/* parentheses within each other; the kernel's have a dozen */

static char *take_binary(char *at, uint64_t *value, int depth, size_t level);

/* "( gfp_t)": behind it, or NULL where at is none. */
static char *skip_cast(char *at)
{
	bool has_word = false;

	at = skip_word(at, "(");
	if (!at)
		return NULL;
	for (at = skip_space(at); isalpha((unsigned char)*at) || *at == '_' || *at == '*'; at = skip_space(at))
		for (; isalnum((unsigned char)*at) || *at == '_' || *at == '*'; at++)
			has_word = true;
	return has_word ? skip_word(at, ")") : NULL;
}

/* A number, "~X", "(X)", or one of these with a cast before it. */
static char *take_unary(char *at, uint64_t *value, int depth)
{
	char *end;

	if (depth > DEPTH_MAX)
		return NULL;
	at = skip_space(at);
	end = skip_cast(at);
	if (end)
		return take_unary(end, value, depth + 1);
	if (*at == '(') {
		at = take_binary(at + 1, value, depth + 1, 0);
		return at ? skip_word(at, ")") : NULL;
	}
	if (*at == '~') {
		at = take_unary(at + 1, value, depth + 1);
		*value = ~*value;
		return at;
	}
	if (!isdigit((unsigned char)*at) && *at != '-')
		return NULL;
	*value = strtoull(at, &end, 0);
	if (end == at)
		return NULL;
	return end + strspn(end, "uUlL");
}

/*
 * A constant expression of C, with what the kernel's flags are made of: | & << ~, parentheses, casts.  Behind it, or NULL where it
 * has something else in it.  level: of the operators, 0 all of them.
 */
static char *take_binary(char *at, uint64_t *value, int depth, size_t level)
{
	static const char *const operators[] = { "|", "&", "<<" };
	char *next;

	if (level == sizeof(operators) / sizeof(*operators))
		return take_unary(at, value, depth);
	for (at = take_binary(at, value, depth, level + 1); at && (next = skip_word(at, operators[level]));) {
		uint64_t right = 0;

		at = take_binary(next, &right, depth, level + 1);
		if (level == 0)
			*value |= right;
		else if (level == 1)
			*value &= right;
		else
			*value = right < 64 ? *value << right : 0;
	}
	return at;
}

/* The comma that ends an expression which take_binary() does not know, or NULL. */
static char *skip_expression(char *at)
{
	int depth = 0;

	for (; *at && *at != '"' && (*at != ',' || depth); at++)
		depth += (*at == '(') - (*at == ')');
	return *at == ',' ? at : NULL;
}

/*
 * Takes one "{ VALUE, "NAME" }" and what separates it from the next; NULL at the end of the list.  A value that is no constant
 * (an enum that the kernel did not resolve) is skipped.
 */
static char *take_name(char *at, struct value_names *names)
{
	char *behind, *start, *end;
	uint64_t value = 0;
	bool is_number;

	at = skip_word(at, "{");
	if (!at)
		return NULL;
	behind = take_binary(at, &value, 0, 0);
	behind = behind ? skip_space(behind) : NULL;
	is_number = behind && *behind == ',';
	at = is_number ? behind : skip_expression(at);
	at = at ? skip_string(at + 1, &start, &end) : NULL;
	at = at ? skip_word(at, "}") : NULL;
	if (!at)
		return NULL;
	if (is_number) {
		*end = 0;
		names->list[names->count].value = value;
		names->list[names->count++].text = start;
	}
	behind = skip_word(at, ",");
	return behind ? behind : at;
}

/* Parses the list, if it is not yet; without memory it stays empty. */
static void parse_list(struct value_names *names)
{
	size_t braces = 0;
	char *at = names->rest;

	names->rest = NULL;
	for (const char *brace = at; brace && (brace = strchr(brace, '{')); brace++)
		braces++;
	names->list = calloc(braces, sizeof(*names->list));
	if (!names->list)
		return;
	while (at)
		at = take_name(at, names);
}

/* How many there are.  A list is parsed when something is asked of it first. */
static size_t count_of(const struct value_names *names)
{
	if (names && names->rest)
		parse_list((struct value_names *)names);
	return names ? names->count : 0;
}

/* The list is found, and not parsed. */
static int find_names(struct value_names **to, const char *print_fmt, const char *field)
{
	struct value_names *names = calloc(1, sizeof(*names));
	int err = -ENOMEM;

	if (!names)
		return err;
	names->text = strdup(print_fmt);
	if (names->text) {
		names->rest = find_list(names->text, field, &names->are_flags);
		err = names->rest ? 0 : -ENOENT;
	}
	if (err) {
		value_names__free(names);
		return err;
	}
	*to = names;
	return 0;
}

int value_names__parse(struct value_names **to, const char *print_fmt, const char *field)
{
	struct value_names *names;
	int err = find_names(&names, print_fmt, field);

	if (err)
		return err;
	if (!count_of(names)) {
		value_names__free(names);
		return -ENOENT;
	}
	*to = names;
	return 0;
}

/* The running kernel's format of an event, "SYSTEM/NAME"; *format is the caller's. */
static int load_format(struct format **format, const char *event)
{
	struct fault fault;
	char system[FORMAT_NAME_MAX + 1];
	const char *slash = strchr(event, '/');

	if (!slash)
		return -EINVAL;
	/* events__format() would look for the nearest names, among all */
	if (!tracefs__has_event(event))
		return -ENOENT;
	snprintf(system, sizeof(system), "%.*s", (int)(slash - event), event);
	return events__format(system, slash + 1, format, &fault);
}

int value_names__of_format(struct value_names **names, const struct format *format, const char *field)
{
	return format ? find_names(names, format->print_fmt, field) : -ENOENT;
}

int value_names__load(struct value_names **names, const char *event, const char *field)
{
	struct format *format;
	int err = load_format(&format, event);

	if (err)
		return err;
	err = value_names__of_format(names, format, field);
	format__free(format);
	return err;
}

bool value_names__has_field(const char *event, const char *field)
{
	struct format *format;
	bool has;

	if (load_format(&format, event))
		return false;
	has = format__field(format, field);
	format__free(format);
	return has;
}

const char *value_names__find(const struct value_names *names, uint64_t value)
{
	for (size_t i = 0, count = count_of(names); i < count; i++)
		if (names->list[i].value == value)
			return names->list[i].text;
	return NULL;
}

bool value_names__value(const struct value_names *names, const char *name, uint64_t *value)
{
	for (size_t i = 0, count = count_of(names); i < count; i++)
		if (!strcmp(names->list[i].text, name)) {
			*value = names->list[i].value;
			return true;
		}
	return false;
}

static size_t add(char *text, size_t size, size_t used, const char *name)
{
	int length = snprintf(used < size ? text + used : NULL, used < size ? size - used : 0, "%s%s", used ? "|" : "", name);

	return used + (size_t)length;
}

/* As trace_print_flags_seq() in kernel/trace/trace_output.c does it. */
size_t value_names__flags(const struct value_names *names, uint64_t flags, char *text, size_t size)
{
	size_t used = 0;
	char rest[32];

	*text = 0;
	for (size_t i = 0, count = count_of(names); i < count && flags; i++) {
		if ((flags & names->list[i].value) != names->list[i].value)
			continue;
		flags &= ~names->list[i].value;
		used = add(text, size, used, names->list[i].text);
	}
	if (flags) {
		snprintf(rest, sizeof(rest), "0x%llx", (unsigned long long)flags);
		used = add(text, size, used, rest);
	}
	return used < size ? used : size - 1;
}

size_t value_names__count(const struct value_names *names)
{
	return count_of(names);
}

void value_names__free(struct value_names *names)
{
	if (!names)
		return;
	free(names->list);
	free(names->text);
	free(names);
}
