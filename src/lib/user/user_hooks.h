/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions that a tool traces in every file of a name: which places these are, and programs on them.
 *
 *	user_hooks__prepare(program)			between open and load, for each program
 *	user_hooks__find(&hooks, "bash", …)		in the tool's own attach_own
 *	user_hooks__places(targets, "readline", …)
 *	user_hooks__attach(&hooks, program, …)
 *	user_hooks__tell_unused(&hooks, …)
 *	user_hooks__detach(&hooks)			in its own detach_own
 *	tool.look_around = user_hooks__look_around
 *	user_hooks__check(&fault), user_hooks__free(&hooks)	after the run
 */
#ifndef PROBELIGHT_USER_HOOKS_H
#define PROBELIGHT_USER_HOOKS_H

#include "user_attach.h"
#include "user_targets.h"

#define USER_HOOKS_TARGETS_MAX 8

/* Zeroed at first; user_hooks__free() empties it. */
struct user_hooks {
	struct user_targets targets[USER_HOOKS_TARGETS_MAX];	/* a name each */
	const char *names[USER_HOOKS_TARGETS_MAX];		/* as the caller has them; NULL: not files of a name */
	size_t count;
	bool follows;		/* the caller's (--follow), before the first name: later files are attached to (user_hooks__follow()) */
	int64_t followed_ms;
	struct user_links links;
};

/* Has a program be loaded for the way in which it is attached (user_attach__has_multi()). */
void user_hooks__prepare(struct bpf_program *program);

/*
 * Finds the files that a name means (user_targets.h), once.  *targets stays the hooks', and name must live as long.  pid: as
 * user_targets__find() takes it.
 * 0, or -errno with one line in fault: -ENOENT where there is none.
 */
int user_hooks__find(struct user_hooks *hooks, const char *name, uint32_t pid, const struct user_targets **targets, struct fault *fault);

/* The programs that processes execute and that have a function themselves (user_targets__find_programs()); as above, none is no error. */
int user_hooks__find_programs(struct user_hooks *hooks, const char *function, const struct user_targets **targets, struct fault *fault);

/*
 * Adds the places of a function in all these files, at its entry or its returns (USER_RETURNS_AUTO).  Files that do not have it are
 * skipped.  How many files have it, or -errno with one line in fault: one has it where it must not be probed.
 */
int user_hooks__places(const struct user_targets *targets, const char *function, bool at_return, struct user_places *places,
		       struct fault *fault);

/* The same in one file: 1, 0 where it does not have the function, or -errno. */
int user_hooks__places_of(const struct user_target *target, const char *function, bool at_return, struct user_places *places,
			  struct fault *fault);

/* Attaches a program to them, and watches the files (user_watch.h).  0, or -errno with one line in fault. */
int user_hooks__attach(struct user_hooks *hooks, const struct bpf_program *program, struct user_places *places, struct fault *fault);

/*
 * After attaching, of a tool with -p: says which of these processes execute none of the files, so that nothing of them is seen unless
 * they load one.  command: a process that has not executed its program yet; 0: there is none.
 */
void user_hooks__tell_unused(const struct user_hooks *hooks, const uint32_t *pids, size_t count, pid_t command);

/* Detaches all; the files stay known. */
void user_hooks__detach(struct user_hooks *hooks);

/* As tool.look_around: says which of the files were replaced (user_watch__tell()), and follows. */
struct tool;
void user_hooks__look_around(struct tool *tool);

/* The option of a tool that follows, which sets hooks->follows. */
#define USER_HOOKS_FOLLOW_OPTION(key)                                                                                                    \
	{                                                                                                                                \
		"follow", key, NULL, 0, "also files that come under the name while it runs: upgrades, containers", 0                     \
	}

/*
 * Before the run, of a tool with that option: where hooks->follows, user_hooks__look_around() looks each second for files that have come
 * under one of the names, of all processes; at once where one was replaced.  attach() attaches to one that is new, which stays the hooks':
 * at how many functions (0: it has none), or -errno with one line in fault, which is a message and ends nothing.  A place that is added
 * there has room in the map user_sites if the tool has made it USER_HOOKS_FOLLOWED_FILES times as large.
 * hooks->follows: the tool then keeps PRIVILEGES_ATTACH (lib/run/privileges.h).
 */
#define USER_HOOKS_FOLLOWED_FILES 8
typedef int user_hooks_attach(const struct user_target *target, struct fault *fault);
bool user_hooks__follow(struct user_hooks *hooks, user_hooks_attach *attach);

/* After the run: -ESTALE with one line in fault where a write to one of the files has ended it; else 0. */
int user_hooks__check(struct fault *fault);

void user_hooks__free(struct user_hooks *hooks);

#endif
