/* SPDX-License-Identifier: BSD-2-Clause */
#include "count.h"

#include <stdio.h>
#include <string.h>

void count__text(const struct count *count, char text[COUNT_TEXT_SIZE])
{
	unsigned long long value = count->value;

	if (count->kind == COUNT_EXACT)
		snprintf(text, COUNT_TEXT_SIZE, "%llu", value);
	else if (value || !count->why)
		snprintf(text, COUNT_TEXT_SIZE, "%llu or more", value);
	else
		snprintf(text, COUNT_TEXT_SIZE, !strncmp(count->why, "before ", 7) ? "unknown %s" :
			 count->kind == COUNT_AT_LEAST ? "0 or more (%s)" : "unknown (%s)", count->why);
}

void count__json(const struct count *count, const char *name, char text[COUNT_TEXT_SIZE])
{
	unsigned long long value = count->value;

	if (count->kind == COUNT_EXACT)
		snprintf(text, COUNT_TEXT_SIZE, "\"%s\":%llu", name, value);
	else
		snprintf(text, COUNT_TEXT_SIZE, "\"%s\":null,\"%s_at_least\":%llu", name, name, value);
}
