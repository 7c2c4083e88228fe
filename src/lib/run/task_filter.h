/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whose events are wanted: -p -t -u -n -c as words of the command line, into the filter that programs read (struct task_filter).
 * What cannot be meant ends the run with one line: exit status 2, or 1 for a task that is not there.
 */
#ifndef PROBELIGHT_TASK_FILTER_H
#define PROBELIGHT_TASK_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/shared/event.h"

/* A number, or several with commas between them; text is cut up.  Pids and tids are those that the caller sees. */
void task_filter__add_pids(struct task_filter *filter, char *text);
void task_filter__add_tids(struct task_filter *filter, char *text);

/* A user by number, or by a name in /etc/passwd. */
void task_filter__set_user(struct task_filter *filter, const char *text);

/* A task's name, or the beginning of one: "ngin*". */
void task_filter__set_comm(struct task_filter *filter, const char *text);

/*
 * A cgroup v2 as a path, also relative to /sys/fs/cgroup.  Returns its directory, open, the caller's to close; or -errno:
 * -ENOENT where there is none, -ENOTDIR where it is something else.
 */
int task_filter__open_cgroup(const char *text);

/* Only tasks in that cgroup, or below it; fd: its directory. */
void task_filter__set_cgroup(struct task_filter *filter, int fd);

/* No task passes the filter, until a cgroup is followed (cgroup_follow__await()). */
void task_filter__await_cgroup(struct task_filter *filter);

/*
 * After the last option: adds this process and its pid namespace, and looks in /proc whether the tasks of -p and -t exist and can be
 * meant together.
 */
void task_filter__complete(struct task_filter *filter);

/*
 * The threads of -p and -t, for the kernel's own filter of an instance of tracefs (set_ftrace_pid): an array that the caller
 * frees, NULL without such options or in a pid namespace, whose numbers are others.  new_threads: threads that these start
 * are meant, too, as of -p.
 */
uint32_t *task_filter__threads(const struct task_filter *filter, size_t *count, bool *new_threads);

/* Whether a task passes -p, -f, -t and -n, as programs decide it (filter.bpf.h); its numbers are those that the caller sees. */
bool task_filter__passes(const struct task_filter *filter, const struct event_task *task);

#endif
