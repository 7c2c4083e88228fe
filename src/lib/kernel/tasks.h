/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which process a thread belongs to, and its name, at one moment of a recording: records of ftrace have the thread's number alone.
 * The first look is at /proc; from then on the caller says what the events of new and of renamed tasks tell, in their order.
 * Numbers are those that the process sees in /proc.
 */
#ifndef PROBELIGHT_TASKS_H
#define PROBELIGHT_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hash.h"
#include "lib/shared/event.h"

struct task {
	uint32_t tid, pid;
	char comm[TASK_COMM_LEN];	/* filled up with 0 bytes */
	bool has_ended;			/* tasks__end() */
};

#define TASKS_ENDED 256

struct tasks {
	struct hash table;	/* struct task by tid */
	uint32_t ended[TASKS_ENDED];	/* the last ones, over and over again; 0: none */
	uint32_t next_ended;
	const struct task *asked;	/* that tasks__look_up() gave last, or NULL */
};

/* Adds all threads that /proc has. 0 or -errno of opendir(3), -ENOMEM. A zeroed table may be scanned, looked into and freed. */
int tasks__scan(struct tasks *tasks);
void tasks__free(struct tasks *tasks);

/* A new thread, or a known one with another name. comm has up to TASK_COMM_LEN bytes. 0 or -ENOMEM. */
int tasks__set(struct tasks *tasks, uint32_t tid, uint32_t pid, const char *comm);

/* A thread has ended.  It stays in the table until TASKS_ENDED others have ended: there may be events of it that were not read yet. */
void tasks__end(struct tasks *tasks, uint32_t tid);

/* A thread of the table, valid until the next change; NULL: not known. */
const struct task *tasks__find(const struct tasks *tasks, uint32_t tid);

/* tasks__look_up()'s slow part. */
const struct task *tasks__look_up_other(struct tasks *tasks, uint32_t tid);

/*
 * The same; one that is not known is looked up in /proc, as it is now, and added. NULL: it is not there either. tid 0 is in no table.
 */
static inline const struct task *tasks__look_up(struct tasks *tasks, uint32_t tid)
{
	/* most often it is the same one again */
	return tid && tasks->asked && tasks->asked->tid == tid ? tasks->asked : tasks__look_up_other(tasks, tid);
}

/*
 * The name of a kernel's worker without what /proc adds to it (wq_worker_comm() in kernel/workqueue.c): "kworker/0:1-events" is called
 * "kworker/0:1". Changes comm in place.
 */
void tasks__cut_worker(char *comm);

/* The threads that processes have now (/proc/PID/task), in a list that the caller frees; *count of them. NULL: none, or no memory. */
uint32_t *tasks__threads(const uint32_t *pids, size_t pids_count, size_t *count);

#endif
