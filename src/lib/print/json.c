/* SPDX-License-Identifier: BSD-2-Clause */
#include "json.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

char *json__quote(char *to, const char *string, size_t size)
{
	bool valid;

	return text__quote(to, string, size, &valid);
}

void json__string(FILE *to, const char *key, const char *value)
{
	char *quoted = value ? malloc(TEXT_QUOTED_MAX(strlen(value)) + 1) : NULL;

	fprintf(to, ",\"%s\":", key);
	if (quoted) {
		*json__quote(quoted, value, strlen(value)) = '\0';
		fputs(quoted, to);
	} else {
		fputs("null", to);
	}
	free(quoted);
}
