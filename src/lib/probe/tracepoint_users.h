/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who is on tracepoints, from the kernel's own lists in its memory (/proc/kcore, with the kernel's BTF for where members are): the
 * functions of each struct tracepoint, the perf events and BPF programs of each event.
 */
#ifndef PROBELIGHT_TRACEPOINT_USERS_H
#define PROBELIGHT_TRACEPOINT_USERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/print/fault.h"
#include "probed.h"

enum tracepoint_user_by {
	TRACEPOINT_BY_FTRACE,		/* an instance of tracefs has enabled the event */
	TRACEPOINT_BY_PERF,		/* events of perf_event_open(2) without a program */
	TRACEPOINT_BY_BPF,
	TRACEPOINT_BY_KERNEL,		/* a function of the kernel or of a module, by itself */
};

/* Strings are NULL where there is nothing to say, and belong to the list. */
struct tracepoint_user {
	enum tracepoint_user_by by;
	char *name;			/* FTRACE: the instance, NULL: the top of tracefs; KERNEL: the function, "[MODULE:]NAME" */
	int pid;			/* PERF: whose events; 0: not known */
	char *comm;			/* PERF */
	unsigned int events;		/* PERF: how many, mostly one on each CPU */
	bool are_idle;			/* PERF: they record nothing now: they are off, or of tasks that do not run */
	struct probed program;		/* BPF: of PROBED_BY_BPF, without a function */
};

struct tracepoint_users {
	char *event;			/* "sched:sched_switch"; "rawtp:NAME" where the tracepoint has no event */
	struct tracepoint_user *all;	/* in the kernel's order */
	size_t count;
};

/* A word that means a tracepoint: "tp:SYSTEM:NAME", "tp:NAME", or without "tp:"; both parts may be globs. */
bool tracepoint_users__matches(const char *pattern, const char *system, const char *name);

/*
 * Calls each for all tracepoints, until it returns something else than 0: those that have an event, of system calls too, and "rawtp" with
 * those that have none.  What it returned, 0 at the end, or -errno.
 */
int tracepoint_users__each(int (*each)(void *context, const char *system, const char *name), void *context);

struct tracepoint_list {
	struct tracepoint_users *all;	/* by event */
	size_t count;
	size_t matched;			/* tracepoints that wanted() wanted, in use or not */
};

/*
 * Fills the list (zeroed) with tracepoints that wanted() wants; those that nobody uses are left out, unless all is true.  0 or -errno
 * with one line in fault.  tracepoint_list__free() releases it.
 */
typedef bool (*tracepoint_wanted)(void *context, const char *system, const char *name);
int tracepoint_list__gather(struct tracepoint_list *list, const struct ksyms *ksyms, tracepoint_wanted wanted, void *context, bool all,
			    struct fault *fault);
void tracepoint_list__free(struct tracepoint_list *list);

#endif
