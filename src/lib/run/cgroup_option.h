/* SPDX-License-Identifier: BSD-2-Clause */
/* Which cgroup's tasks are wanted: -c, --container and --wait, from their words to the filter that programs read. */
#ifndef PROBELIGHT_CGROUP_OPTION_H
#define PROBELIGHT_CGROUP_OPTION_H

#include <stdbool.h>

struct cgroup_follow;
struct task_filter;

/* What the command line says. */
struct cgroup_option {
	const char *cgroup;	/* -c, or NULL */
	const char *container;	/* --container, or NULL */
	bool wait;		/* --wait */
};

/* Takes a -c or --container, text; the other one is *other. Ends the run with one line if there was one before. */
void cgroup_option__set(const char **asked, const char *other, const char *text);

/*
 * After the last option: finds the cgroup, sets it in filter, and in follow what is known of its path. Returns its directory, open, the
 * caller's to close; -1 where none is wanted, or it is waited for. What is not there, or can mean several, ends the run with one line: exit
 * status 1, or 2 for words that mean nothing.
 */
int cgroup_option__resolve(const struct cgroup_option *option, struct task_filter *filter, struct cgroup_follow *follow);

#endif
