/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of tools in build/probelight, which src/one/table writes from the directories in src. */
#ifndef PROBELIGHT_ONE_H
#define PROBELIGHT_ONE_H

struct one_tool {
	const char *name;
	const char *about;		/* what it does, the words of its manual page */
	int (*main)(int argc, char **argv);
};

extern const struct one_tool one_tools[];	/* sorted by name, ended by a NULL name */

/* Questions that people start with, in the order of src/one/questions; each names tools that are in the table. */
struct one_question {
	const char *question;
	const char *tools;
};

extern const struct one_question one_questions[];	/* ended by a NULL question */

/* Tools of other collections that are no tool here, and the command that has what they show, of src/one/others. */
struct one_other {
	const char *name;
	const char *command;
};

extern const struct one_other one_others[];	/* ended by a NULL name */

#endif
