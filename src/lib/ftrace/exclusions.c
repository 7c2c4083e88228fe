/* SPDX-License-Identifier: BSD-2-Clause */
#include "exclusions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aliases.h"
#include "lib/kernel/names.h"
#include "lib/print/near.h"
#include "lib/print/text_buffer.h"

#define NEAREST 3

bool exclusions__have(const char *of_module, const char *const *patterns, size_t count, const char *name, const char *module)
{
	for (size_t i = 0; i < count; i++)
		if (exclusion__is(patterns[i]) && function_pattern__means(patterns[i] + 1, of_module, name, module))
			return true;
	return false;
}

/* Takes out what one pattern means, without the '!'.  How many functions. */
static size_t take_out(struct functions *functions, const char *of_module, const char *pattern)
{
	size_t kept = 0, taken = 0;

	for (size_t i = 0; i < functions->count; i++) {
		struct function *function = &functions->list[i];

		if (!function_pattern__means(pattern, of_module, function->name, function->module)) {
			functions->list[kept++] = *function;
			continue;
		}
		free(function->name);
		free(function->module);
		taken++;
	}
	functions->count = kept;
	return taken;
}

/* The list that a name is looked up for. */
struct alias_search {
	struct functions *functions;
	struct function_filter *filter;		/* or, without a list, the filter */
	size_t taken;
};

/* found: "NAME" or "NAME [MODULE]" */
static int on_alias(void *ctx, char *found)
{
	struct alias_search *search = ctx;
	const char *module = names__split(found);

	if (search->functions)
		search->taken += take_out(search->functions, module, found);
	return search->filter ? function_filter__remove(search->filter, module, found) : 0;
}

/* What ftrace has under other names than these. */
static int each_alias(const char *module, const char *pattern, struct alias_search *search)
{
	char found[NAMES_NAME_MAX];
	struct names names;
	int err = 0;

	if (strchr(pattern, ':'))
		return 0;
	if (!function_pattern__is_name(pattern))
		return module ? 0 : aliases__each(pattern, on_alias, search);
	names__open(&names, false);
	if (alias__find(&names, module, pattern, found))
		err = on_alias(search, found);
	names__close(&names);
	return err;
}

/* pattern has its '!' */
static void explain(const struct functions *functions, const char *pattern, struct fault *fault)
{
	struct text_buffer text = fault__begin(fault, -ENOENT);
	const char *colon = strchr(pattern, ':'), *wanted = colon ? colon + 1 : pattern + 1;
	struct near near;

	near__init(&near, near__typed_limit(wanted), NEAREST);
	for (size_t i = 0; i < functions->count; i++)
		near__add(&near, functions->list[i].name, near__edits(functions->list[i].name, wanted, near__limit(&near)));
	text_buffer__add(&text, "'%s' excludes none of the functions that match", pattern);
	near__put(&near, &text);
}

size_t exclusions__apply(struct functions *functions, const char *of_module, const char *const *patterns, size_t count)
{
	size_t exclude = 0;

	for (size_t i = 0; i < count; i++) {
		struct alias_search search = { .functions = functions };

		if (!exclusion__is(patterns[i]))
			continue;
		search.taken = take_out(functions, of_module, patterns[i] + 1);
		each_alias(of_module, patterns[i] + 1, &search);
		if (search.taken) {
			exclude++;
			continue;
		}
		if (functions->unmatched++ && functions->tell)
			functions->tell(functions->fault.text);
		explain(functions, patterns[i], &functions->fault);
	}
	return exclude;
}

int exclusions__write(struct function_filter *filter, const char *of_module, const char *const *patterns, size_t count)
{
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		struct alias_search search = { .filter = filter };

		if (!exclusion__is(patterns[i]))
			continue;
		err = function_filter__remove(filter, of_module, patterns[i] + 1);
		if (!err)
			err = each_alias(of_module, patterns[i] + 1, &search);
	}
	return err;
}
