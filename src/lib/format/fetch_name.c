/* SPDX-License-Identifier: BSD-2-Clause */
#include "fetch_name.h"

#include <string.h>

#include "fetch_type.h"

bool fetch__is(const char *text)
{
	return strpbrk(text, "%$@&\\+(=") || *text == '-' || fetch_type__is_own(text) ||
	       (strchr(text, ':') && strncmp(text, "arg", 3));
}

size_t fetch__length(const char *text)
{
	size_t length = strlen(text);

	return length > 2 && text[length - 2] == '/' && strchr("xos", text[length - 1]) ? length - 2 : length;
}

char *fetch__name(const char *text)
{
	size_t name = strcspn(text, "=");

	return strndup(text, text[name] ? name : fetch__length(text));
}
