/* SPDX-License-Identifier: BSD-2-Clause */
/* probelight: all tools in one program.  Called by a tool's name, or with it as the first argument, it is that tool. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernel/machine.h"
#include "lib/print/near.h"
#include "lib/print/say.h"
#include "lib/run/exit.h"
#include "lib/run/preflight.h"
#include "lib/run/show.h"
#include "one/one.h"

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

/* The first question with the word in it, a part of one of its words or all of it; NULL: there is none. */
static const struct one_question *find_question(const char *word, bool whole)
{
	size_t length = strlen(word);

	for (const struct one_question *question = one_questions; length >= 3 && question->question; question++)
		for (const char *at = question->question; (at = strcasestr(at, word)); at++)
			if (!whole || ((at == question->question || !isalnum((unsigned char)at[-1])) &&
				       !isalnum((unsigned char)at[length])))
				return question;
	return NULL;
}

/* A view: the tool with the view's arguments before the user's. */
static int run(const struct one_tool *tool, int argc, char **argv)
{
	char *command, **all;
	int count = 0;

	if (!tool->command)
		return tool->main(argc, argv);
	command = strdup(tool->command);
	all = calloc(strlen(tool->command) + (size_t)argc + 1, sizeof(*all));
	if (!command || !all) {
		say("no memory");
		return EXIT_FAILURE;
	}
	if (argc > 1 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "-?") || !strcmp(argv[1], "--help")))
		printf("%s: %s.\nIt is %s\nwith these options, too:\n\n", tool->name, tool->about, tool->command);
	while ((all[count] = strsep(&command, " ")))
		count++;
	for (int i = 1; i < argc; i++)
		all[count++] = argv[i];
	/* both are needed until the end */
	return tool->main(count, all);
}

/* What to type for a name of another collection, also as packages have it ("biotop-bpfcc", "opensnoop.bt"); NULL: it is none of these. */
static const char *find_elsewhere(const char *word)
{
	size_t length = strcspn(word, "-.");

	for (const struct one_tool *tool = one_tools; word[length] && tool->name; tool++)
		if (!strncmp(tool->name, word, length) && !tool->name[length])
			return tool->name;
	for (const struct one_elsewhere *other = one_elsewhere; other->name; other++)
		if (!strncmp(other->name, word, length) && !other->name[length])
			return other->here;
	return NULL;
}

/* What the user may mean: tools whose names are like the word, and the tools of a question that has it. */
__attribute__((noreturn))
static void refuse(const char *word)
{
	const char *here = find_elsewhere(word);
	const struct one_question *question;
	char names[4 * 32] = "";
	struct near near;

	if (here)
		usage_error("there is no tool \"%s\"; use %s", word, here);
	near__init(&near, near__typed_limit(word), NEAR_MAX);
	for (const struct one_tool *tool = one_tools; tool->name; tool++)
		near__add(&near, tool->name, near__typed(tool->name, word, near__limit(&near)));
	for (unsigned int i = 0; i < near.count && near.distances[i] == near.distances[0]; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s", i ? ", " : "", near.names[i]);
	question = find_question(word, near.count);
	if (near.count)
		usage_error("there is no tool \"%s\"; the nearest %s %s%s%s%s%s", word, strchr(names, ',') ? "are" : "is", names,
			    question ? "; \"" : "", question ? question->question : "", question ? "\": " : "",
			    question ? question->tools : "");
	if (question)
		usage_error("there is no tool \"%s\"; \"%s\": %s", word, question->question, question->tools);
	usage_error("there is no tool \"%s\"; probelight -l lists all", word);
}

static void list(void)
{
	for (const struct one_tool *tool = one_tools; tool->name; tool++)
		printf("%-16s %s\n", tool->name, tool->about);
}

static void choose(void)
{
	puts("Usage: probelight TOOL [OPTION...]      probelight -l lists all tools\n"
	     "       probelight show FILE [OPTION...] prints what TOOL --record FILE wrote");
	for (const struct one_question *question = one_questions; question->question; question++)
		printf(" %-37s %s\n", question->question, question->tools);
	puts("\nprobelight TOOL --help shows options and examples. Tracing needs root (sudo).");
}

/* probelight show FILE [OPTION...]: the tool whose events the file has prints them. */
static int show(int argc, char **argv)
{
	const struct one_tool *tool;
	const char *name;

	if (argc < 3 || (*argv[2] == '-' && argv[2][1]))
		usage_error("show: a file comes first (probelight show FILE [OPTION...])");
	name = show__open(argv[2]);
	if (!name)
		return TOOL_EXIT_FAILED;
	tool = find_tool(name);
	if (!tool) {
		say("\"%s\": of a tool that this probelight does not have", argv[2]);
		return TOOL_EXIT_FAILED;
	}
	/* the tool's options follow its name */
	argv[2] = (char *)tool->name;
	return tool->main(argc - 2, argv + 2);
}

int main(int argc, char **argv)
{
	const struct one_tool *tool = argc ? find_called(base_name(argv[0])) : NULL;
	const char *word = argc > 1 ? argv[1] : "--help";

	if (tool)
		return run(tool, argc, argv);
	tool = find_tool(word);
	if (tool)
		return run(tool, argc - 1, argv + 1);
	say__name("probelight");
	if (!strcmp(word, "-l") || !strcmp(word, "--list"))
		list();
	else if (!strcmp(word, "show"))
		return show(argc, argv);
	else if (!strcmp(word, "-V") || !strcmp(word, "--version"))
		printf("probelight " PROBELIGHT_VERSION " (%s)\n", machine__name());
	else if (!strcmp(word, "-h") || !strcmp(word, "-?") || !strcmp(word, "--help"))
		choose();
	else if (*word == '-')
		usage_error("%s: unknown option; TOOL comes first (probelight TOOL %s)", word, word);
	else
		refuse(word);
	return preflight__text_written();
}
