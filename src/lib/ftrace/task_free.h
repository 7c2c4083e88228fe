/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of tasks that are gone (sched/sched_process_free), among an instance's own: what was kept of such a task can go.
 * The kernel frees a task when its parent has waited for it and nothing runs as it any more.
 */
#ifndef PROBELIGHT_FTRACE_TASK_FREE_H
#define PROBELIGHT_FTRACE_TASK_FREE_H

#include <stdbool.h>
#include <stdint.h>

#include "instance.h"
#include "page.h"

struct task_free {
	uint16_t type;		/* of these records; 0: there are none */
	uint32_t pid;		/* offset in them, bytes */
};

/* Has an instance record them from now on.  On a kernel without the event there are none. */
void task_free__watch(struct task_free *task_free, const struct instance *instance);

/* Whether a record is one of them: *tid is the task, in the initial pid namespace. */
bool task_free__is(const struct task_free *task_free, const struct page_record *record, uint32_t *tid);

#endif
