/* SPDX-License-Identifier: BSD-2-Clause */
#include "columns.h"

#include <stdlib.h>
#include <string.h>

static size_t count_of(const struct out_column *columns)
{
	size_t count = 0;

	while (columns[count].name)
		count++;
	return count;
}

struct out_column *columns__insert(const struct out_column *columns, const char *before, const struct out_column *added)
{
	size_t count = count_of(columns), more = count_of(added), at = 0;
	struct out_column *made = calloc(count + more + 1, sizeof(*made));

	while (at < count && strcmp(columns[at].name, before))
		at++;
	if (!made)
		return NULL;
	memcpy(made, columns, at * sizeof(*made));
	memcpy(made + at, added, more * sizeof(*made));
	memcpy(made + at + more, columns + at, (count - at) * sizeof(*made));
	return made;
}
