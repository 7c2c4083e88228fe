/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of programs and libraries as patterns of a tool that traces functions: u:TARGET:PATTERN, and ur:TARGET:PATTERN for calls that
 * return.  One program is at all of them (bpf/user_calls.bpf.h):
 *
 *	traced_user__is(&traced)				after the options
 *	traced_user__find(&user, &traced, &tool, ends)		between open and load; then
 *	traced_user__prepare(&user, &tool)
 *	traced_user__attach(&user, &tool)			in tool.attach_own
 *	traced_user__detach(&user)				in tool.detach_own
 *	traced_user__check(&user, &tool)			after the run
 *	traced_user__free(&user)
 *
 * A tool that does not do it calls traced_user__leave_out(&tool).
 */
#ifndef PROBELIGHT_TRACED_USER_H
#define PROBELIGHT_TRACED_USER_H

#include "lib/user/user_hooks.h"
#include "traced.h"

#define TRACED_USER_RATE_MAX 100000	/* calls a second, without --rate: each takes a trap or two of the program that is traced */

struct traced_user {
	struct user_hooks hooks;
	char *names[USER_HOOKS_TARGETS_MAX];	/* of the hooks' targets */
	struct user_places begins;
	struct user_places ends, late_ends;	/* at ret instructions; by the kernel's return probe */
	bool with_ends;
};

/* Whether an argument is such a pattern; and whether it is one of returns. */
bool traced_user__is_pattern(const char *text);
bool traced_user__is_return(const char *text);

/* Whether the patterns are of programs' functions.  Ends the tool where only some of them are, or an option does not go with them. */
bool traced_user__is(const struct traced *traced, const struct tool *tool);

/*
 * Finds the functions: traced->functions has their names, and the files' instead of modules'.  with_ends: where they return, too.  Those
 * that must not be probed are reported and left out.  tool->err.
 */
int traced_user__find(struct traced_user *user, struct traced *traced, struct tool *tool, bool with_ends);

/*
 * Which programs of the skeleton are loaded: user_call, or with_ends user_begins, user_ends and user_ends_late; and its maps.  tool->err.
 */
int traced_user__prepare(struct traced_user *user, struct tool *tool);
void traced_user__leave_out(const struct tool *tool);

/* How they are attached, for engine__tell(). */
const char *traced_user__how(void);

int traced_user__attach(struct traced_user *user, struct tool *tool);	/* tool->err */
void traced_user__detach(struct traced_user *user);

/* Fails where a write to one of the files has ended the run. */
void traced_user__check(struct tool *tool);

/* Takes a zeroed one, too. */
void traced_user__free(struct traced_user *user);

#endif
