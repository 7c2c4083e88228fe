/* SPDX-License-Identifier: BSD-2-Clause */
#include "print_fmt.h"

#include <ctype.h>
#include <string.h>

const char *print_fmt__skip_quoted(const char *at)
{
	for (at++; *at && *at != '"'; at++)
		at += *at == '\\' && at[1];
	return *at ? at + 1 : at;
}

/* Where the argument ends that starts here: at the comma after it, a closing parenthesis, or the end. */
static const char *argument_end(const char *at)
{
	int depth = 0;

	while (*at) {
		if (*at == '"') {
			at = print_fmt__skip_quoted(at);
			continue;
		}
		/* '"' and ',' as characters */
		if (*at == '\'' && at[1] && at[1] != '\\' && at[2] == '\'') {
			at += 3;
			continue;
		}
		if (!depth && (*at == ',' || *at == ')'))
			return at;
		depth += (*at == '(' || *at == '{') - (*at == ')' || *at == '}');
		at++;
	}
	return at;
}

/* The conversion at `at`, after its "%", up to end. The text after it, or NULL. */
static const char *take_conversion(const char *at, const char *end, struct print_piece *piece, unsigned int *stars)
{
	size_t length = 0;
	unsigned int longs = 0, shorts = 0;

	*stars = 0;
	for (; at < end && strchr("-+ #0123456789.*hlLqjzt", *at); at++) {
		*stars += *at == '*';
		longs += strchr("lLqjzt", *at) != NULL;
		shorts += *at == 'h';
	}
	if (at >= end)
		return NULL;
	piece->size = longs ? 8 : 4U >> (shorts < 2 ? shorts : 2);
	piece->conversion[length++] = *at;
	if (*at == 'p')
		while (at + 1 < end && isalnum((unsigned char)at[1]) && length < PRINT_FMT_CONVERSION_SIZE - 1)
			piece->conversion[length++] = *++at;
	piece->conversion[length] = 0;
	return at + 1;
}

static bool take_argument(struct print_fmt *fmt, const char **start, const char **end)
{
	if (*fmt->rest != ',')
		return false;
	*start = fmt->rest + 1;
	*end = fmt->rest = argument_end(*start);
	return true;
}

bool print_fmt__next(struct print_fmt *fmt, struct print_piece *piece)
{
	unsigned int stars = 0;

	if (!fmt->at) {
		fmt->at = fmt->rest = fmt->print_fmt + strspn(fmt->print_fmt, " \t");
		/* one format, which may be made of several strings */
		while (*fmt->rest == '"') {
			fmt->rest = print_fmt__skip_quoted(fmt->rest);
			fmt->rest += strspn(fmt->rest, " \t\n");
		}
		fmt->format_end = fmt->rest;
	}
	*piece = (struct print_piece){ .is_adjacent = true };
	for (;;) {
		if (fmt->at >= fmt->format_end)
			return false;
		if (*fmt->at == '%' && fmt->at[1] != '%')
			break;
		piece->is_adjacent = false;
		fmt->at += *fmt->at == '%' ? 2 : 1;
	}
	fmt->at = take_conversion(fmt->at + 1, fmt->format_end, piece, &stars);
	if (!fmt->at)
		return false;
	for (unsigned int i = 0; i < stars; i++)
		if (!take_argument(fmt, &piece->length, &piece->length_end))
			return false;
	return take_argument(fmt, &piece->argument, &piece->argument_end);
}
