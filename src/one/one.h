/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of tools in build/probelight, which src/one/table writes from the directories in src, src/one/views and src/one/theirs. */
#ifndef PROBELIGHT_ONE_H
#define PROBELIGHT_ONE_H

struct one_tool {
	const char *name;
	const char *about;		/* what it does, the words of its manual page */
	int (*main)(int argc, char **argv);
	const char *command;		/* of a view, another name of a tool: the tool and its arguments; else NULL */
};

extern const struct one_tool one_tools[];	/* sorted by name, ended by a NULL name */

/* Tools that other collections have under a name that no tool has here, and what to run instead. */
struct one_theirs {
	const char *name;
	const char *instead;
};

extern const struct one_theirs one_theirs[];	/* ended by a NULL name */

/* Questions that people start with, in the order of src/one/questions; each names tools that are in the table. */
struct one_question {
	const char *question;
	const char *tools;
};

extern const struct one_question one_questions[];	/* ended by a NULL question */

#endif
