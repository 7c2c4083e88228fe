/* SPDX-License-Identifier: BSD-2-Clause */
#include "say.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static const char *own_name = "probelight";

static struct {
	char **waiting;
	size_t count;
	bool started;
} warnings;

void say__name(const char *name)
{
	own_name = name;
}

const char *say__own_name(void)
{
	return own_name;
}

void vsay(const char *format, va_list args)
{
	char *text, *escaped;
	size_t size, characters;

	if (vasprintf(&text, format, args) < 0)
		return;
	size = strlen(text);
	escaped = malloc(TEXT_ESCAPED_MAX(size) + 1);
	if (escaped) {
		*text__escape(escaped, text, size, &characters) = '\0';
		fprintf(stderr, "%s: %s\n", own_name, escaped);
	}
	free(escaped);
	free(text);
}

void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsay(format, args);
	va_end(args);
}

static void say_warning(const char *text)
{
	say("warning: %s", text);
}

/* Whether it has taken the text, and frees it later. */
static bool let_wait(char *text)
{
	char **longer = realloc(warnings.waiting, (warnings.count + 1) * sizeof(*longer));

	if (!longer)
		return false;
	warnings.waiting = longer;
	longer[warnings.count++] = text;
	return true;
}

void say__warning(const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0 || (!warnings.started && let_wait(text)))
		return;
	say_warning(text);
	free(text);
}

void say__started(void)
{
	warnings.started = true;
	for (size_t i = 0; i < warnings.count; i++) {
		say_warning(warnings.waiting[i]);
		free(warnings.waiting[i]);
	}
	free(warnings.waiting);
	warnings.waiting = NULL;
	warnings.count = 0;
}
