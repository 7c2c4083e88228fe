/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of tools in build/probelight, which src/one/table writes from the directories in src, src/one/views and src/one/elsewhere. */
#ifndef PROBELIGHT_ONE_H
#define PROBELIGHT_ONE_H

struct one_tool {
	const char *name;
	const char *about;		/* what it does, the words of its manual page */
	int (*main)(int argc, char **argv);
	const char *command;		/* of a view, another name of a tool: the tool and its arguments; else NULL */
};

extern const struct one_tool one_tools[];	/* sorted by name, ended by a NULL name */

/* Questions that people start with, in the order of src/one/questions; each names tools that are in the table. */
struct one_question {
	const char *question;
	const char *tools;
};

extern const struct one_question one_questions[];	/* ended by a NULL question */

/* Names of other collections' tools that no tool here has, and what to type instead. */
struct one_elsewhere {
	const char *name;
	const char *here;
};

extern const struct one_elsewhere one_elsewhere[];	/* ended by a NULL name */

#endif
