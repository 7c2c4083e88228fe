/* SPDX-License-Identifier: BSD-2-Clause */
#include "json.h"

#include <stdlib.h>
#include <string.h>

#include "out.h"

void json__string(FILE *to, const char *key, const char *value)
{
	char *quoted = value ? malloc(strlen(value) * 6 + 3) : NULL;

	fprintf(to, ",\"%s\":", key);
	if (quoted) {
		*out__json_quote(quoted, value, strlen(value)) = '\0';
		fputs(quoted, to);
	} else {
		fputs("null", to);
	}
	free(quoted);
}
