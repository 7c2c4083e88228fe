/* SPDX-License-Identifier: BSD-2-Clause */
#include "function_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "aliases.h"
#include "functions.h"
#include "lib/kernel/names.h"

/*
 * "PATTERN:mod:MODULE", as Documentation/trace/ftrace.rst has it.  The kernel matches in write(2) and in close(2), and while it does it can
 * be at the clock too.
 */
static int write_pattern(struct function_filter *filter, const char *module, const char *sign, const char *pattern, const char *suffix)
{
	char text[KSYMS_NAME_MAX + KSYMS_MODULE_MAX + 32];
	int fd = instance__open(filter->instance, FUNCTION_FILTER, O_WRONLY | (filter->has_any ? O_APPEND : O_TRUNC)), err;

	if (fd < 0)
		return fd;
	snprintf(text, sizeof(text), "%s%s%s%s%s\n", sign, pattern, suffix, module ? ":mod:" : "", module ? module : "");
	if (filter->with_clock)
		instance__begin_clock(filter->instance);
	err = instance__write_to(fd, text);
	if (!err)
		filter->has_any = true;
	return err;
}

/* A filter to which functions are added by the names that ftrace has. */
struct addition {
	struct function_filter *filter;
	bool matches;
};

/* found: "NAME" or "NAME [MODULE]" */
static int add_alias(void *ctx, char *found)
{
	struct addition *addition = ctx;
	const char *module = names__split(found);
	int err = write_pattern(addition->filter, module, "", found, "");

	/* -EINVAL: the function cannot be traced under that name either */
	addition->matches |= !err;
	return err == -EINVAL ? 0 : err;
}

/* What ftrace has under other names than these.  0, -EINVAL: nothing, or -errno. */
static int add_aliases(struct function_filter *filter, const char *module, const char *pattern)
{
	struct addition addition = { .filter = filter };
	char found[NAMES_NAME_MAX];
	struct names names;
	int err = 0;

	if (!function_pattern__is_name(pattern)) {
		err = module ? 0 : aliases__each(pattern, add_alias, &addition);
	} else {
		names__open(&names, false);
		if (alias__find(&names, module, pattern, found))
			err = add_alias(&addition, found);
		names__close(&names);
	}
	return err ? err : addition.matches ? 0 : -EINVAL;
}

/* Takes "MODULE:" off a pattern: own is then its text, and the result; else module. */
static const char *split(const char **pattern, const char *module, char own[KSYMS_MODULE_MAX])
{
	const char *colon = strchr(*pattern, ':');

	if (!colon)
		return module;
	snprintf(own, KSYMS_MODULE_MAX, "%.*s", (int)(colon - *pattern), *pattern);
	*pattern = colon + 1;
	return own;
}

int function_filter__remove(struct function_filter *filter, const char *module, const char *pattern)
{
	char own[KSYMS_MODULE_MAX];
	int err, of_variants = 0;

	module = split(&pattern, module, own);
	err = write_pattern(filter, module, "!", pattern, "");
	if (function_pattern__is_name(pattern))
		of_variants = write_pattern(filter, module, "!", pattern, ".*");
	/* -EINVAL: the kernel has no such function */
	if (err && err != -EINVAL)
		return err;
	return of_variants == -EINVAL ? 0 : of_variants;
}

int function_filter__add(struct function_filter *filter, const char *module, const char *pattern)
{
	char own[KSYMS_MODULE_MAX];
	bool is_name;
	int err, more;

	module = split(&pattern, module, own);
	is_name = function_pattern__is_name(pattern);
	err = write_pattern(filter, module, "", pattern, "");
	/* the compiler may have renamed it */
	if (err == -EINVAL && is_name)
		err = write_pattern(filter, module, "", pattern, ".*");
	if (err && err != -EINVAL)
		return err;
	if (!err && is_name)
		return 0;
	more = add_aliases(filter, module, pattern);
	return more == -EINVAL ? err : more;
}
