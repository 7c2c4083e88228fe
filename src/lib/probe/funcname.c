/* SPDX-License-Identifier: BSD-2-Clause */
#include "funcname.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int funcname__parse(const char *text, struct funcname *name)
{
	const char *colon = strchr(text, ':'), *function = colon ? colon + 1 : text, *plus = strchr(function, '+');
	size_t module_length = colon ? (size_t)(colon - text) : 0;
	size_t length = plus ? (size_t)(plus - function) : strlen(function);
	char *end;

	memset(name, 0, sizeof(*name));
	if (module_length >= sizeof(name->module) || length >= sizeof(name->function) || !length || (colon && !module_length))
		return -EINVAL;
	memcpy(name->module, text, module_length);
	memcpy(name->function, function, length);
	for (const char *at = text; *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr("_.:+$", *at))
			return -EINVAL;
	if (strchr(function, ':'))
		return -EINVAL;
	if (plus) {
		if (!isdigit((unsigned char)plus[1]))
			return -EINVAL;
		errno = 0;
		name->offset = strtoul(plus + 1, &end, 0);
		if (*end || errno)
			return -EINVAL;
	}
	return 0;
}

void funcname__text(const struct funcname *name, char text[FUNCNAME_MAX])
{
	snprintf(text, FUNCNAME_MAX, "%s%s%s", name->module, *name->module ? ":" : "", name->function);
}
