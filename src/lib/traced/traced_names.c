/* SPDX-License-Identifier: BSD-2-Clause */
/* Of the functions that a tool traces: their other names, and those that do not return. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ftrace/aliases.h"
#include "lib/ftrace/exclusions.h"
#include "lib/probe/trampoline.h"
#include "traced.h"

/* Whether a function of the list is meant by a pattern. */
static bool is_meant(const struct traced *traced, const char *pattern)
{
	const struct functions *functions = &traced->functions;

	for (size_t i = 0; i < functions->count; i++)
		if (function_pattern__means(pattern, traced->module, functions->list[i].name, functions->list[i].module))
			return true;
	return false;
}

void traced__resolve_aliases(struct traced *traced)
{
	struct names names = { .question = NULL };
	char found[NAMES_NAME_MAX];
	bool is_open = false;

	for (size_t i = 0; i < traced->patterns_count; i++) {
		const char *pattern = traced->patterns[i];

		if (exclusion__is(pattern) || strchr(pattern, ':') || !function_pattern__is_name(pattern) || is_meant(traced, pattern))
			continue;
		if (!is_open)
			names__open(&names, false);
		is_open = true;
		if (!alias__find(&names, traced->module, pattern, found))
			continue;
		names__split(found);
		traced->resolved[i] = is_meant(traced, found) ? strdup(found) : NULL;
		if (traced->resolved[i])
			traced->patterns[i] = traced->resolved[i];
	}
	if (is_open)
		names__close(&names);
}

int traced__tell_no_returns(const struct traced *traced, struct tool *tool)
{
	const struct functions *functions = &traced->functions;
	size_t count = 0, first = 0;

	for (size_t i = 0; i < functions->count; i++)
		if (!trampoline__returns(functions->list[i].name) && !count++)
			first = i;
	if (count && count == functions->count)
		return tool__fail(tool, -EINVAL, "--return: %s does not return, so no row would come (leave --return out: rows come when calls begin)",
				  functions->list[first].name);
	for (size_t i = first; count && i < functions->count; i++)
		if (!trampoline__returns(functions->list[i].name))
			say("--return: %s does not return, and has no rows", functions->list[i].name);
	return 0;
}
