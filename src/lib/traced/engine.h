/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who sees the calls that a tool traces: BPF programs, or a tracer of the kernel's own in an instance of tracefs.  --engine asks for one;
 * without it the choice is made here, for all tools alike, and what was chosen is told by -v and in the first JSON record.
 */
#ifndef PROBELIGHT_ENGINE_H
#define PROBELIGHT_ENGINE_H

#include "lib/run/tool.h"
#include "traced.h"

enum engine_kind { ENGINE_AUTO, ENGINE_BPF, ENGINE_FTRACE };

struct engine {
	enum engine_kind kind;		/* asked for; after engine__choose() the chosen one */
	bool asked;			/* on the command line */
	bool needs_ftrace;		/* what was asked for is only there */
	char start_members[768];
};

/* In a tool's options; its parse gives the argument to engine__parse(), which ends the tool where it is none. */
#define ENGINE_OPTION(key) { "engine", (key), "ENGINE", 0, "how calls are seen: auto, bpf (programs), ftrace (the kernel's tracer)", 0 }
void engine__parse(struct engine *engine, const char *text);

/* What the choice depends on. */
struct engine_wants {
	const char *done;		/* for messages: "traced" */
	const char *only_bpf;		/* what ftrace has not, and was asked for, and why: "-s: …"; NULL: nothing */
	const char *only_ftrace;	/* the same of programs; for a message, ended by what to do */
	bool prefers_ftrace;		/* programs on many functions miss calls that it does not */
};

/*
 * Decides, and finds the functions: for BPF programs with traced->by_multi, for ftrace as the filter of the instance traced->instance.
 * Without --engine programs are taken where they can be on all of the functions, because they have all filters and options.
 * tool->err.
 */
int engine__choose(struct engine *engine, struct tool *tool, struct traced *traced, const struct engine_wants *wants);

/*
 * Has it be ftrace where what is asked for is only there; if programs are asked for, too, it fails.  engine__choose() does that.
 * tool->err.
 */
int engine__need_ftrace(struct engine *engine, struct tool *tool, const struct engine_wants *wants);

/* Whether ftrace is asked for together with what it has not, or with --attach: the first part of the choice.  tool->err. */
int engine__check(const struct engine *engine, struct tool *tool, const struct engine_wants *wants);

/* Why it was chosen, in words for engine__tell(). */
const char *engine__why(const struct engine *engine, const struct traced *traced);

/* Tells it: how it is done, why, and what the numbers of the last line promise. */
void engine__tell(struct engine *engine, struct tool *tool, const char *how, const char *why, const char *promise);

#endif
