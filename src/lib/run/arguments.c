/* SPDX-License-Identifier: BSD-2-Clause */
#include "arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "argument.h"
#include "foreign_options.h"
#include "tool.h"

#define INTERVAL_MIN_NS 10000000

static char **kept;
static size_t kept_count;

void arguments__describe(const struct tool *tool, bool may_count, char text[ARGUMENTS_DOC_SIZE])
{
	const char *argument = tool->about->argument ?: "", *space = *argument ? " " : "";
	const char *command = tool->about->no_task ? "" : "[-- COMMAND...]", *count = tool->counts ? "[INTERVAL [COUNT]]" : "";
	int size = snprintf(text, ARGUMENTS_DOC_SIZE, "%s%s%s%s%s", argument, *count ? space : "", count,
			    *command && (*argument || *count) ? " " : "", command);

	/* "[PATH] [INTERVAL [COUNT]]" */
	if (may_count && !tool->counts)
		snprintf(text + size, ARGUMENTS_DOC_SIZE - (size_t)size, "\n--count COLUMN,... %s%s[INTERVAL [COUNT]]%s%s", argument, space,
			 *command ? " " : "", command);
}

static bool is_number(const char *arg)
{
	return *arg && strspn(arg, "0123456789.") == strlen(arg);
}

/* [INTERVAL [COUNT]] */
static void take_interval(struct tool *tool, const char *text)
{
	if (tool->options.intervals_max)
		usage_error("\"%s\": one argument too many, after INTERVAL and COUNT", text);
	if (tool->options.interval_ns) {
		tool->options.intervals_max = argument__number("COUNT", text, 1, UINT32_MAX);
		return;
	}
	tool->options.interval_ns = argument__seconds("INTERVAL", text);
	if (tool->options.interval_ns < INTERVAL_MIN_NS)
		usage_error("INTERVAL \"%s\": at least 0.01 seconds", text);
}

/* Of a tool that prints rows. */
static error_t take(struct tool *tool, char *arg, struct argp_state *state, bool may_count)
{
	const char *instead = foreign_options__instead(tool->about->foreign_options, "");

	if (tool->counting && is_number(arg)) {
		take_interval(tool, arg);
		return 0;
	}
	if (tool->about->argument)
		return tool->about->parse(ARGP_KEY_ARG, arg, state);
	if (tool->counting)
		usage_error("\"%s\": INTERVAL is a number of seconds, such as 5 or 0.5", arg);
	if (!instead && !tool->about->no_task && !(may_count && is_number(arg)))
		usage_error("\"%s\": no argument is expected; a command to run follows --: %s -- %s", arg, tool->about->name, arg);
	usage_error("\"%s\": no argument is expected%s%s%s", arg, may_count && is_number(arg) ? " without --count or --hist" : "",
		    instead ? ": " : "", instead ? instead : "");
}

error_t arguments__add(struct tool *tool, char *arg, struct argp_state *state, bool may_count)
{
	char **larger;

	if (tool->counts && tool->about->argument && *arg && !is_number(arg))
		return tool->about->parse(ARGP_KEY_ARG, arg, state);
	if (tool->counts) {
		take_interval(tool, arg);
		return 0;
	}
	if (!may_count)
		return take(tool, arg, state, false);
	larger = realloc(kept, (kept_count + 1) * sizeof(*larger));
	if (!larger)
		usage_error("\"%s\": no memory", arg);
	kept = larger;
	kept[kept_count++] = arg;
	return 0;
}

error_t arguments__take(struct tool *tool, struct argp_state *state, bool may_count)
{
	error_t err = 0;

	for (size_t i = 0; !err && i < kept_count; i++)
		err = take(tool, kept[i], state, may_count);
	free(kept);
	kept = NULL;
	kept_count = 0;
	return err;
}
