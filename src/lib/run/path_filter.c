/* SPDX-License-Identifier: BSD-2-Clause */
#include "path_filter.h"

#include <string.h>

#include "lib/layout/layout.h"
#include "lib/shared/path.h"

static struct path_filter wanted;

void path_filter__parse(const char *text)
{
	size_t size = strlen(text);

	if (wanted.last)
		usage_error("\"%s\": one part of a path only", text);
	if (!size || size > PATH_FILTER_MAX)
		usage_error("PATH \"%s\": a part of a path, 1 to %d bytes", text, PATH_FILTER_MAX);
	for (size_t i = 1; i < 256; i++)
		wanted.places[i] = 1ULL << 63;
	for (size_t i = 0; i < size; i++)
		wanted.places[(unsigned char)text[i]] |= 1ULL << i;
	wanted.last = 1ULL << (size - 1);
}

void path_filter__use(const struct tool *tool)
{
	tool__set_rodata(tool, "path_filter", &wanted, sizeof(wanted));
	if (!wanted.last)
		layout__leave_out(tool->layout, "path_lacks");
}
