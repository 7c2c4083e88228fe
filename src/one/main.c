/* SPDX-License-Identifier: BSD-2-Clause */
/* probelight: all tools in one program.  Called by a tool's name, or with it as the first argument, it is that tool. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/print/say.h"
#include "lib/run/exit.h"
#include "lib/run/preflight.h"
#include "one/one.h"

#define NAME_MAX_SIZE 32	/* a tool's name has 15 characters at most (ci/new-tool) */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const struct one_tool *find_tool(const char *name)
{
	for (const struct one_tool *tool = one_tools; tool->name; tool++)
		if (!strcmp(tool->name, name))
			return tool;
	return NULL;
}

/* "opensnoop", and what a packager may have made of it: "opensnoop-probelight" (PROGRAM_SUFFIX). */
static const struct one_tool *find_called(const char *name)
{
	for (const struct one_tool *tool = one_tools; tool->name; tool++) {
		size_t length = strlen(tool->name);

		if (!strncmp(tool->name, name, length) && !isalnum((unsigned char)name[length]) && name[length] != '_')
			return tool;
	}
	return NULL;
}

/* How many characters have to be inserted, removed or replaced to make one name of the other (Levenshtein). */
static unsigned int distance(const char *one, const char *other)
{
	unsigned int row[NAME_MAX_SIZE + 1], columns = (unsigned int)strnlen(other, NAME_MAX_SIZE);

	for (unsigned int i = 0; i <= columns; i++)
		row[i] = i;
	for (unsigned int j = 1; one[j - 1]; j++) {
		unsigned int diagonal = row[0];

		row[0] = j;
		for (unsigned int i = 1; i <= columns; i++) {
			unsigned int best = diagonal + (one[j - 1] != other[i - 1]);

			diagonal = row[i];
			if (row[i] + 1 < best)
				best = row[i] + 1;
			if (row[i - 1] + 1 < best)
				best = row[i - 1] + 1;
			row[i] = best;
		}
	}
	return row[columns];
}

static const char *nearest(const char *name)
{
	const char *best = one_tools[0].name;

	for (const struct one_tool *tool = one_tools; tool->name; tool++)
		if (distance(tool->name, name) < distance(best, name))
			best = tool->name;
	return best;
}

static void list(void)
{
	for (const struct one_tool *tool = one_tools; tool->name; tool++)
		printf("%-16s %s\n", tool->name, tool->about);
}

static void choose(void)
{
	puts("Usage: probelight TOOL [OPTION...]      probelight -l lists all tools\n");
	for (const struct one_question *question = one_questions; question->question; question++)
		printf("  %-42s %s\n", question->question, question->tools);
	puts("\nprobelight TOOL --help shows a tool's options and examples.  Tracing needs root: sudo probelight TOOL.");
}

int main(int argc, char **argv)
{
	const struct one_tool *tool = argc ? find_called(base_name(argv[0])) : NULL;
	const char *word = argc > 1 ? argv[1] : "--help";

	if (tool)
		return tool->main(argc, argv);
	tool = find_tool(word);
	if (tool)
		return tool->main(argc - 1, argv + 1);
	say__name("probelight");
	if (!strcmp(word, "-l") || !strcmp(word, "--list"))
		list();
	else if (!strcmp(word, "-V") || !strcmp(word, "--version"))
		puts("probelight " PROBELIGHT_VERSION);
	else if (!strcmp(word, "-h") || !strcmp(word, "-?") || !strcmp(word, "--help"))
		choose();
	else if (*word == '-')
		usage_error("%s: unknown option", word);
	else
		usage_error("there is no tool \"%s\"; the nearest is %s (probelight -l lists all)", word, nearest(word));
	return preflight__text_written();
}
