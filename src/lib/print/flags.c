/* SPDX-License-Identifier: BSD-2-Clause */
#include "flags.h"

#include <stdarg.h>
#include <stdio.h>

/* Writes behind the used bytes of text; returns how many are used then, below size. */
static size_t append(char *text, size_t used, size_t size, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(text + used, size - used, format, args);
	va_end(args);
	if (length < 0)
		return used;
	return (size_t)length < size - used ? used + (size_t)length : size - 1;
}

char *flags__text(const struct flag_name *names, uint64_t value, char *text, size_t size)
{
	uint64_t rest = value;
	size_t used = 0;

	text[0] = 0;
	for (; names && names->name; names++) {
		if ((rest & names->bits) != names->bits)
			continue;
		used = append(text, used, size, "%s%s", used ? "|" : "", names->name);
		rest &= ~names->bits;
	}
	if (rest)
		append(text, used, size, "%s%#llx", used ? "|" : "", (unsigned long long)rest);
	else if (!value)
		append(text, used, size, "0");
	return text;
}
