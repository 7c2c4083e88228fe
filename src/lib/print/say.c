/* SPDX-License-Identifier: BSD-2-Clause */
#include "say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static const char *own_name = "probelight";

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
