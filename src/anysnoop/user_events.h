/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of functions of programs and libraries as events, u:TARGET:FUNCTION and ur:TARGET:FUNCTION. */
#ifndef PROBELIGHT_ANYSNOOP_USER_EVENTS_H
#define PROBELIGHT_ANYSNOOP_USER_EVENTS_H

#include "lib/gen/request.h"
#include "lib/run/tool.h"
#include "lib/user/user_attach.h"
#include "lib/user/user_site.h"
#include "lib/user/user_targets.h"

/* --returns, --force and --follow, and the process of -p, whose files alone are meant; 0: all processes. */
struct user_options {
	enum user_returns returns;
	bool force;
	bool follow;
	uint32_t pid;
};
extern struct user_options user_options;

/* What --returns takes: 0 or -EINVAL. */
int user_returns__parse(const char *text, enum user_returns *returns);

/* The files of "TARGET:FUNCTION", found once; NULL: fault says why. */
const struct user_targets *user_events__targets(const char *name, struct fault *fault);

/* Puts the event in front of what is wrong with it. */
void user_events__name(struct fault *fault, const char *system, const char *name);

/* Where a function of a file is probed.  0, or -errno with one line in fault. */
int user_events__sites(const struct user_file *file, const struct user_function *function, bool at_return, struct user_sites *sites,
		       struct fault *fault);

/*
 * As sources__match(): the functions of the target that the request's pattern matches, each under one of its names.  Those that cannot be
 * probed are reported and skipped.
 */
int user_events__match(const struct request *request, int (*found)(void *context, const char *system, const char *name), void *context,
		       bool *any, struct fault *fault);

/* Whether an event that is named cannot be, or must not be traced; then fault has one line.  Else its places are known. */
bool user_events__refuses(const struct request *request, const char *name, struct fault *fault);

/* The same for an event whose places the caller finds: forgets the last one's, and adds places.  0 or -ENOMEM. */
void user_events__begin(void);
int user_events__add(const struct user_target *target, const struct user_sites *sites, uint64_t semaphore);

/* Keeps the places of the event that was asked for last, under its number. */
void user_events__number(size_t number);

/* How many they are. */
size_t user_events__places(size_t number);

/*
 * Whether its returns are seen by the kernel's return probe, which finds the stack one address higher than the function's own instructions
 * do.
 */
bool user_events__by_kernel(size_t number);

/*
 * Adds the places of an event, where it begins or where it returns, and watches their files from now on (lib/user/user_watch.h).  0, or
 * -errno with one line in fault.
 */
int user_events__add_places(struct user_places *places, size_t number, bool at_return, struct fault *fault);

/*
 * Attaches a program to all events that share it (run_events.h), of which `first` is the first: at_return tells where.  sites_fd: the map
 * user_sites, which is filled in; -1: the program does not ask it.  0, or tool->err.
 */
int user_events__attach(struct tool *tool, const struct bpf_program *program, size_t first, bool at_return, int sites_fd);

/* -l: prints the functions that match, and what would be refused.  0, or -errno with one line in fault. */
int user_events__list(const struct request *request, bool *any, struct fault *fault);

/*
 * About each second (tool.look_around): says which files were replaced, and with --follow attaches the events' programs to files that have
 * come since: at once where one was replaced, else each second.
 */
void user_events__look_around(struct tool *tool);

/* After the run: fails where a file was written to, which has ended it (lib/user/user_watch.h). */
void user_events__check(struct tool *tool);

/* Detaches all: tool.detach_own. */
void user_events__detach(struct tool *tool);

/* Forgets all, and closes the files. */
void user_events__free(void);

#endif
