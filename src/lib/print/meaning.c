/* SPDX-License-Identifier: BSD-2-Clause */
#include "meaning.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "error.h"

#define ERROR_MAX 4095	/* MAX_ERRNO, include/linux/err.h */

static const char *value_name(const struct flag_name *names, uint64_t value)
{
	for (; names && names->name; names++)
		if (names->bits == value)
			return names->name;
	return NULL;
}

static bool find_number(const struct flag_name *names, const char *name, uint64_t *number)
{
	for (; names && names->name; names++)
		if (!strcmp(names->name, name)) {
			*number = names->bits;
			return true;
		}
	return false;
}

/* "ENOENT" for -2; NULL for what is no error with a name. */
static const char *error_name(uint64_t number, char name[ERROR_NAME_MAX])
{
	uint64_t error = -number;

	if (!error || error > ERROR_MAX)
		return NULL;
	error__name((int)error, name);
	return isalpha((unsigned char)*name) ? name : NULL;
}

const char *meaning__text(const struct meaning *meaning, uint64_t number, char *text, size_t size)
{
	char error[ERROR_NAME_MAX];
	const char *name;
	size_t used;

	if (meaning->is_octal)
		return NULL;
	name = meaning->is_error ? error_name(number, error) :
		value_name(meaning->values, meaning->flags ? number & meaning->mask : number);
	if (!meaning->flags) {
		if (name)
			snprintf(text, size, "%s", name);
		return name ? text : NULL;
	}
	/* a value without a name is among the bits without one */
	if (!name)
		return flags__text(meaning->flags, number, text, size);
	number &= ~meaning->mask;
	used = (size_t)snprintf(text, size, "%s%s", name, number ? "|" : "");
	if (number && used < size)
		flags__text(meaning->flags, number, text + used, size - used);
	return text;
}

bool meaning__number(const struct meaning *meaning, const char *name, uint64_t *number)
{
	char known[ERROR_NAME_MAX];

	if (!meaning->is_error)
		return find_number(meaning->values, name, number) || find_number(meaning->flags, name, number);
	for (int error = 1; error <= ERROR_MAX; error++)
		if (!strcmp(error__name(error, known), name)) {
			*number = (uint64_t)-(int64_t)error;
			return isalpha((unsigned char)*name);
		}
	return false;
}
