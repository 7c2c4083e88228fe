/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which functions of the running kernel a pattern means: those that ftrace can trace.  The kernel matches itself: a pattern is
 * written into set_ftrace_filter of an instance of our own and the file is read back, 54 to 99 M instructions for a pattern (5.10
 * to 7.2), where reading available_filter_functions takes 178 to 346 M.
 */
#ifndef PROBELIGHT_FUNCTIONS_H
#define PROBELIGHT_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instance.h"
#include "lib/kernel/ksyms.h"
#include "lib/kernel/names.h"
#include "lib/print/fault.h"

struct function {
	char *name;		/* "vfs_read", "finish_task_switch.isra.0" */
	char *module;		/* NULL: the kernel itself */
	uint64_t address;	/* functions__find_addresses(); 0: not known */
	uint32_t btf_id;	/* in the kernel's BTF, where somebody has asked for it (funclatency/traced_session.h) */
};

struct functions {
	struct function *list;
	size_t count;
	struct fault fault;	/* the last pattern that matched none: why, and what to do */
	size_t unmatched;	/* how many patterns matched none */
	void (*tell)(const char *why);	/* of each of them but the last, which is the caller's to tell; NULL: they are known */
};

/* Whether a pattern can be one, without "!": "vfs_*", "[MODULE:]tcp_[a-c]?"; and whether it is a plain name. */
bool function_pattern__is_valid(const char *pattern);
bool function_pattern__is_name(const char *pattern);

/*
 * Whether a pattern means a function, also as the compiler calls it (NAME.isra.0).  of_module: where the pattern has no "MODULE:", that of
 * --module, or NULL; module: the function's, or NULL.
 */
bool function_pattern__means(const char *pattern, const char *of_module, const char *name, const char *module);

/*
 * Adds what the patterns mean, each function once, those of a module alone where module is not NULL.  The instance's filter is
 * then these functions.  A plain name without a function also means its variants (NAME.isra.0, NAME.constprop.0).  with_clock: the
 * instance's clock is set meanwhile (instance__begin_clock()).  0, also where some of the patterns match none (`unmatched`), -ENOENT where
 * all do, or -errno; then fault has a line.  functions__free() releases it, a zeroed one too.
 *
 * "!PATTERN" takes out what it means (exclusions.h), wherever it stands among the others.  -ENOENT where nothing is left.
 */
int functions__match(struct functions *functions, struct instance *instance, bool with_clock, const char *module,
		     const char *const *patterns, size_t count);

/* The same where the list is known: what the instance's filter is then is read only if functions were taken out. */
int functions__filter(struct functions *functions, struct instance *instance, bool with_clock, const char *module,
		      const char *const *patterns, size_t count);

/* Adds those of a text as set_ftrace_filter has it, lines "NAME" and "NAME [MODULE]"; the text is written to.  0 or -ENOMEM. */
int functions__parse(struct functions *functions, char *text);

/* Adds one without asking, as for a plain name that is about to be attached to.  0 or -ENOMEM. */
int functions__add(struct functions *functions, const char *name, const char *module);

/* Why a plain name is no function that can be traced, for a message. */
void functions__explain(const char *module, const char *name, struct fault *fault);

/*
 * Takes those out that must not be traced by BPF programs, which run them themselves, or hang or crash the machine.  Returns
 * their number; the name of the first one in first.
 */
size_t functions__deny(struct functions *functions, char first[KSYMS_NAME_MAX]);

/*
 * Finds the addresses: by asking for each, 33,000 instructions, or, where a name is there twice, from /proc/kallsyms.  Returns how
 * many were not found, which are taken out of the list.
 */
size_t functions__find_addresses(struct functions *functions, struct names *names);

/* Compares two struct function by name, then by module; the kernel's own come first.  As qsort(3) calls it. */
int function__compare(const void *a, const void *b);
void functions__sort(struct functions *functions);

/* Finds a function in a sorted list by "NAME" or "NAME [MODULE]", as names__of() writes it.  Its index, or SIZE_MAX. */
size_t functions__find(const struct functions *functions, const char *text);

void functions__free(struct functions *functions);

#endif
