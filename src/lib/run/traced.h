/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions that a tool traces: from the patterns of its command line to names, without those that must not be traced, and the
 * programs that are attached to few of them.
 */
#ifndef PROBELIGHT_TRACED_H
#define PROBELIGHT_TRACED_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/ftrace/functions.h"
#include "lib/ftrace/instance.h"
#include "tool.h"

#define TRACED_PATTERNS_MAX 64
#define TRACED_FUNCTIONS_MAX 1000	/* without --force */
#define TRACED_FEW 8			/* functions that get programs of their own: NAME_0 to NAME_7 */

struct traced {
	const char *module;		/* functions of this module only, or NULL */
	const char *patterns[TRACED_PATTERNS_MAX + 1];
	size_t patterns_count;
	bool force;			/* also more than TRACED_FUNCTIONS_MAX */
	struct instance instance;	/* where the kernel matched them, until traced__remove_instance() */
	struct functions functions;
};

/* From the command line; a usage error ends the tool. */
void traced__add_pattern(struct traced *traced, const char *pattern);
void traced__set_module(struct traced *traced, const char *module);

/* Whether only plain names are asked for, TRACED_FEW at most: they need no matching. */
bool traced__are_few_names(const struct traced *traced);

/* Takes these names as they are, "MODULE:NAME" split; whether the kernel has them is seen when they are attached to.  tool->err. */
int traced__take_names(struct traced *traced, struct tool *tool);

/*
 * Makes an instance and has the kernel match the patterns there; its filter is then these functions.  Says which pattern matches
 * none, and fails where all do, or more than TRACED_FUNCTIONS_MAX functions match.  tool->err.
 */
int traced__match(struct traced *traced, struct tool *tool);

/* Removes the instance, or says that it cannot be removed yet. */
void traced__remove_instance(struct traced *traced);

/*
 * For BPF programs: takes out what they must not be attached to, and says so; but is what else there is, or "".  Fails where
 * nothing is left.  tool->err.
 */
int traced__deny(struct traced *traced, struct tool *tool, const char *but);

/* The program NAME_NUMBER of an object; NULL: there is none. */
struct bpf_program *traced__program(const struct tool *tool, const char *name, size_t number);

/*
 * Attaches the programs NAME_0 … as probes to the functions, in their order, through tool->attach.  Return probes are of mode legacy
 * where nobody asks for another one: it can ask for slots, so that calls that sleep at the same time are seen to return (of 200 on
 * 6.1 all, in mode link 10).  tool->attach->err.
 */
int traced__attach(const struct traced *traced, struct tool *tool, const char *name);

/* "NAME", "NAME [MODULE]" of a function. */
#define TRACED_NAME_MAX (KSYMS_NAME_MAX + KSYMS_MODULE_MAX + 4)
void traced__text(const struct function *function, char text[TRACED_NAME_MAX]);

/* Takes a zeroed one, too. */
void traced__free(struct traced *traced);

#endif
