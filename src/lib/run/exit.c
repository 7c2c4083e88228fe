/* SPDX-License-Identifier: BSD-2-Clause */
#include "exit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/print/say.h"

void usage_error(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	say("%s (see %s --help)", text ? text : "wrong usage", say__own_name());
	free(text);
	exit(TOOL_EXIT_USAGE);
}
