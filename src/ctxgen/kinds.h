/* SPDX-License-Identifier: BSD-2-Clause */
/* The kinds of programs: what each is called, and where its context has the values. */
#ifndef PROBELIGHT_KINDS_H
#define PROBELIGHT_KINDS_H

#include <stdbool.h>
#include <stddef.h>

/* What the hook is on, which decides who is asked for the types. */
enum kind_of_hook { HOOK_FUNCTION, HOOK_TRAMPOLINE, HOOK_SYSCALL, HOOK_TRACEPOINT, HOOK_LSM, HOOK_PERF_EVENT, HOOK_USER };

enum kind_of_context { CONTEXT_REGISTERS, CONTEXT_CALLERS_REGISTERS, CONTEXT_SLOTS, CONTEXT_ARGS };

struct kind {
	const char *name;
	enum kind_of_hook hook;
	enum kind_of_context context;
	bool has_params, has_result;
	const char *section;	/* of SEC(), before the slash */
	const char *macro;
	const char *suffix;	/* of the program's name */
	const char *what;	/* the first lines of its comment, behind the word */
};

/* The kind that a word begins with, and behind it the name, "" where there is none; NULL: the word has no kind. */
const struct kind *kind__of(const char *word, const char **name);

/* How many parameters registers hold on this machine. */
size_t kind__registers(void);

/* Where the context has a parameter, by its number from 0; RESULT: what the function returned, behind count parameters. */
#define KIND_RESULT ((size_t)-1)
const char *kind__place_x86(const struct kind *kind, size_t number, size_t count, char room[32]);
const char *kind__place_arm64(const struct kind *kind, size_t number, size_t count, char room[32]);

#endif
