/* SPDX-License-Identifier: BSD-2-Clause */
#include "print_fmt.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Behind the string that starts at the quote, at its end at most. */
static const char *skip_quoted(const char *at)
{
	for (at++; *at && *at != '"'; at++)
		at += *at == '\\' && at[1];
	return *at ? at + 1 : at;
}

/* Where the argument ends that starts here: at the comma behind it, a closing parenthesis, or the end. */
static const char *argument_end(const char *at)
{
	int depth = 0;

	while (*at) {
		if (*at == '"') {
			at = skip_quoted(at);
			continue;
		}
		if (!depth && (*at == ',' || *at == ')'))
			return at;
		depth += (*at == '(' || *at == '{') - (*at == ')' || *at == '}');
		at++;
	}
	return at;
}

/* Whether the argument is REC->field, with nothing but casts and parentheses around it. */
static bool is_field(const char *at, const char *end, const char *field)
{
	const char *rec = strstr(at, "REC->");
	size_t length = strlen(field);

	if (!rec || rec >= end || strncmp(rec + 5, field, length) || isalnum((unsigned char)rec[5 + length]) || rec[5 + length] == '_')
		return false;
	for (; at < end; at++) {
		if (at == rec)
			at += 5 + length;
		if (at < end && !isalnum((unsigned char)*at) && !strchr("_ ()*", *at))
			return false;
	}
	return true;
}

/* Takes the next conversion of a format, up to end; behind it, or NULL.  *arguments: those that it takes besides its value. */
static const char *take_conversion(const char *at, const char *end, char *conversion, unsigned int *arguments)
{
	size_t length = 0;

	*arguments = 0;
	for (; at < end; at++) {
		if (*at != '%')
			continue;
		at++;
		if (*at == '%')
			continue;
		for (; at < end && strchr("-+ #0123456789.*hlLqjzt", *at); at++)
			*arguments += *at == '*';
		if (at >= end)
			return NULL;
		conversion[length++] = *at;
		if (*at == 'p')
			while (at + 1 < end && isalnum((unsigned char)at[1]) && length < PRINT_FMT_CONVERSION_SIZE - 1)
				conversion[length++] = *++at;
		conversion[length] = 0;
		return at + 1;
	}
	return NULL;
}

bool print_fmt__conversion(const char *print_fmt, const char *field, char *conversion)
{
	const char *at = print_fmt + strspn(print_fmt, " \t"), *argument = at;

	/* one format, which may be made of several strings */
	while (*argument == '"') {
		argument = skip_quoted(argument);
		argument += strspn(argument, " \t\n");
	}
	for (const char *format_end = argument; at && at < format_end;) {
		unsigned int others;

		at = take_conversion(at, format_end, conversion, &others);
		if (!at)
			break;
		for (unsigned int i = 0; i <= others; i++) {
			const char *end;

			if (*argument != ',')
				return false;
			argument++;
			end = argument_end(argument);
			if (i == others && is_field(argument, end, field))
				return true;
			argument = end;
		}
	}
	return false;
}

bool print_fmt__none(const char *print_fmt, const char *field, char *none, size_t size)
{
	static const char flags[] = "__print_flags(";

	for (const char *at = print_fmt; (at = strstr(at, flags));) {
		size_t length = strlen(field);

		at += strlen(flags);
		at += strspn(at, " (");
		if (strncmp(at, "REC->", 5) || strncmp(at + 5, field, length) || isalnum((unsigned char)at[5 + length]))
			continue;
		while (*at == ',' || *at != ')') {
			const char *end = argument_end(at + (*at == ','));

			if (!*end || end == at)
				return false;
			at = end;
		}
		at++;
		at += strspn(at, " ");
		if (*at++ != ':')
			return false;
		at += strspn(at, " ");
		if (*at++ != '"' || strcspn(at, "\"\\") >= size)
			return false;
		snprintf(none, size, "%.*s", (int)strcspn(at, "\""), at);
		return true;
	}
	return false;
}
