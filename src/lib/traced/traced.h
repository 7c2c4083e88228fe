/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions that a tool traces: its options, from their patterns to names, without those that must not be traced, and the
 * programs that are attached to them: one on each of a few, or one on all, through one link (kprobe.multi).
 */
#ifndef PROBELIGHT_TRACED_H
#define PROBELIGHT_TRACED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/ftrace/functions.h"
#include "lib/ftrace/instance.h"
#include "lib/kernel/names.h"
#include "lib/run/tool.h"

#define TRACED_PATTERNS_MAX 64
#define TRACED_FUNCTIONS_MAX 1000	/* without --force */
#define TRACED_FEW 8			/* functions that get programs of their own: NAME_0 to NAME_7 (bpf/traced.bpf.h) */

struct traced {
	const char *module;		/* functions of this module only, or NULL */
	const char *patterns[TRACED_PATTERNS_MAX + 1];	/* also "!PATTERN": all but those (ftrace/exclusions.h) */
	char *resolved[TRACED_PATTERNS_MAX];	/* traced__resolve_aliases(): what was put in a pattern's place, or NULL */
	size_t patterns_count;
	bool takes_programs;		/* patterns may be of programs' functions (traced_user.h); the tool sets it */
	bool force;			/* also more than TRACED_FUNCTIONS_MAX */
	bool by_multi;			/* one program is on all functions, and sends addresses; else numbers */
	struct instance instance;	/* where the kernel matched them, until traced__remove_instance() */
	struct functions functions;
};

/* The options of such a tool.  module_key: 'm', or TRACED_KEY_MODULE where -m is something else. */
enum { TRACED_KEY_MODULE = 0x400, TRACED_KEY_FORCE };
#define TRACED_OPTIONS(module_key)                                                                                             \
	{ "module", (module_key), "MODULE", 0, "functions of this module only", 0 },                                           \
	{ "pattern", 'e', "PATTERN", 0, "functions, as the arguments (also one that looks like a number or option); '!PATTERN': all but those", 0 },      \
	{ "force", TRACED_KEY_FORCE, NULL, 0, "also more than 1,000 functions", 0 }

/*
 * For the tool's parse: takes these and the arguments; by_default is the pattern where the command line has none.  A usage error ends
 * the tool.  0 or ARGP_ERR_UNKNOWN, also for ARGP_KEY_END, which the tool may use too.
 */
error_t traced__parse(struct traced *traced, int key, char *arg, int module_key, const char *by_default);

/* Whether only plain names are asked for, TRACED_FEW at most: they need no matching. */
bool traced__are_few_names(const struct traced *traced);

/* Whether "!PATTERN" leaves a function out; module: its module, or NULL. */
bool traced__excludes(const struct traced *traced, const char *name, const char *module);

/* Takes these names as they are, "MODULE:NAME" split; whether the kernel has them is seen when they are attached to.  tool->err. */
int traced__take_names(struct traced *traced, struct tool *tool);

/*
 * Whether a name in the list stands for more than one function (probe/shared_names.h), so that a probe by its name would be refused or see
 * the first alone.  Of TRACED_FEW functions at most, else false: more of them are traced by address.
 */
bool traced__share_names(const struct traced *traced);

/* What is wanted of a match. */
enum traced_wants {
	TRACED_NAMES,		/* the functions; there may be no instance, where an earlier start has kept them (lib/ftrace/matches.h) */
	TRACED_FILTER,		/* also an instance whose filter is these functions */
	TRACED_RECORDS,		/* also that its clock is set */
};

/*
 * After a match: a name that the kernel has for a function under another one as well (lib/ftrace/aliases.h) becomes the one in the list,
 * which records and stacks have, too.
 */
void traced__resolve_aliases(struct traced *traced);

/*
 * Has the kernel match the patterns.  Says which of them matches none, and fails where all do, or more than TRACED_FUNCTIONS_MAX functions
 * match.  few_have_programs: where traced__are_few() holds afterwards TRACED_NAMES are enough: to have the kernel match again what an
 * earlier start has kept takes 54 M instructions on 5.10, 79 on 6.1.  tool->err.
 */
int traced__match(struct traced *traced, struct tool *tool, enum traced_wants wants, bool few_have_programs);

/* Whether the functions are TRACED_FEW at most, and none shares its name with another one. */
bool traced__are_few(const struct traced *traced);

/* Removes the instance, or says that it cannot be removed yet. */
void traced__remove_instance(struct traced *traced);

/*
 * For BPF programs: takes out what they must not be attached to, and says so; but is what else there is, or "".  Fails where
 * nothing is left.  tool->err.
 */
int traced__deny(struct traced *traced, struct tool *tool, const char *but);

/* Fails where BPF programs run one of the first patterns themselves, if it is a plain name.  tool->err. */
int traced__refuse_denied(const struct traced *traced, struct tool *tool, size_t count);

/* For rows that come when calls return: tells of functions that do not return; a failure if none does.  tool->err. */
int traced__tell_no_returns(const struct traced *traced, struct tool *tool);

/*
 * Whether more functions are to be traced than can have programs of their own, some share a name, or --attach multi asks for it: by_multi
 * is set then.  Fails where the kernel or --attach does not let one program be on all; done is for the message: "traced".  tool->err.
 */
int traced__choose_multi(struct traced *traced, struct tool *tool, const char *done);

/* Finds the functions' addresses, and says how many have none, which are taken out; fails where none is left.  tool->err. */
int traced__find_addresses(struct traced *traced, struct tool *tool, struct names *names);

/*
 * After load: attaches a program to the addresses of all functions, through tool->attach.  tool->err, or tool->attach->err, which
 * tool__attach() looks at.
 */
int traced__attach_multi(const struct traced *traced, struct tool *tool, struct bpf_program *program, struct bpf_link **link);

/*
 * Finds the functions' ids in the kernel's BTF, for links of attach__many_ids(); others is how many have none.  0 or -errno.  Such a
 * link takes 95 M instructions for 1,000 functions, and 848 for 10,000, where one by addresses takes 13 and 328; a call costs half.
 */
#define TRACED_IDS_MAX 1000
int traced__find_ids(struct traced *traced, size_t *others);

/*
 * Attaches a program of tracing__target() to all functions that have ids; its cookies are their numbers.  An error of the kernel's is
 * returned and does not stick, as it may take the functions by addresses.
 */
int traced__attach_ids(const struct traced *traced, struct tool *tool, struct bpf_program *program);

/*
 * As traced__attach_multi(), with all on all functions, else on those without ids; where there are none the program needs no link.
 * link NULL: the program is one of kprobe.session, and its link is kept by links__own().
 */
int traced__attach_addresses(const struct traced *traced, struct tool *tool, struct bpf_program *program, struct bpf_link **link, bool all);

/* The index of the function that a program tells, by its number or address; SIZE_MAX: there is none. */
size_t traced__find(const struct traced *traced, uint64_t key);

/* The program NAME_NUMBER of an object; NULL: there is none. */
struct bpf_program *traced__program(const struct tool *tool, const char *name, size_t number);

/*
 * Attaches the programs NAME_0 … as probes to the functions, in their order, through tool->attach.  Return probes are of mode legacy
 * where nobody asks for another one: it can ask for slots, so that calls that sleep at the same time are seen to return (of 200 on
 * 6.1 all, in mode link 10).  tool->attach->err.
 */
int traced__attach(const struct traced *traced, struct tool *tool, const char *name);

/* Takes a zeroed one, too. */
void traced__free(struct traced *traced);

#endif
