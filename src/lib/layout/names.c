/* SPDX-License-Identifier: BSD-2-Clause */
#include "names.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "format.h"
#include "lib/kernel/tracefs.h"

struct name {
	uint64_t value;
	char *text;		/* in struct names.text */
};

struct names {
	char *text;		/* a copy of the print fmt */
	size_t count;
	struct name list[];
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
	return isalnum((unsigned char)*rec) || *rec == '_' ? NULL : end + 1;
}

/* Where the first "{ VALUE, "NAME" }" of the field's list stands, or NULL. */
static char *find_list(char *text, const char *field)
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
		if (list)
			return list;
	}
	return NULL;
}

/*
 * Takes one "{ VALUE, "NAME" }" and what separates it from the next; NULL at the end of the list.  A value that is not a number
 * (an enum that the kernel did not resolve) is skipped.
 */
static char *take_name(char *at, struct names *names)
{
	char *behind, *start, *end;
	uint64_t value;
	bool is_number;

	at = skip_word(at, "{");
	if (!at)
		return NULL;
	at = skip_space(at);
	value = strtoull(at, &behind, 0);
	behind = skip_space(behind);
	is_number = isdigit((unsigned char)*at) || *at == '-' ? *behind == ',' : false;
	at = strchr(at, ',');
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

int names__parse(struct names **to, const char *print_fmt, const char *field)
{
	size_t braces = 0;
	struct names *names;
	char *at;

	for (const char *brace = print_fmt; (brace = strchr(brace, '{')); brace++)
		braces++;
	names = calloc(1, sizeof(*names) + braces * sizeof(*names->list));
	if (!names)
		return -ENOMEM;
	names->text = strdup(print_fmt);
	if (!names->text) {
		free(names);
		return -ENOMEM;
	}
	for (at = find_list(names->text, field); at; at = take_name(at, names))
		;
	if (!names->count) {
		names__free(names);
		return -ENOENT;
	}
	*to = names;
	return 0;
}

/* The running kernel's format of an event, "SYSTEM/NAME"; *format is the caller's. */
static int load_format(struct format **format, const char *event)
{
	char system[FORMAT_NAME_MAX + 1], why[256];
	const char *slash = strchr(event, '/');

	if (!slash)
		return -EINVAL;
	/* events__format() would look for the nearest names, among all */
	if (!tracefs__has_event(event))
		return -ENOENT;
	snprintf(system, sizeof(system), "%.*s", (int)(slash - event), event);
	return events__format(system, slash + 1, format, why, sizeof(why));
}

int names__load(struct names **names, const char *event, const char *field)
{
	struct format *format;
	int err = load_format(&format, event);

	if (err)
		return err;
	err = names__parse(names, format->print_fmt, field);
	format__free(format);
	return err;
}

bool names__has_field(const char *event, const char *field)
{
	struct format *format;
	bool has;

	if (load_format(&format, event))
		return false;
	has = format__field(format, field);
	format__free(format);
	return has;
}

const char *names__find(const struct names *names, uint64_t value)
{
	for (size_t i = 0; names && i < names->count; i++)
		if (names->list[i].value == value)
			return names->list[i].text;
	return NULL;
}

size_t names__count(const struct names *names)
{
	return names ? names->count : 0;
}

void names__free(struct names *names)
{
	if (!names)
		return;
	free(names->text);
	free(names);
}
