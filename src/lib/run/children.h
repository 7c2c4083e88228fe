/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * -f: processes that those of -p make while the tool runs, and their children, count like these.  A program sees each new
 * task before it runs, and writes its bit into a map that the tool's programs read (lib/bpf/children.bpf.h).  There is one
 * such map in a process.
 */
#ifndef PROBELIGHT_RUN_CHILDREN_H
#define PROBELIGHT_RUN_CHILDREN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/libbpf.h>

#include "lib/print/fault.h"
#include "lib/shared/event.h"

/*
 * Begins to follow the processes of filter->pids: makes the map, attaches the program and sets the bits of these processes
 * and of their threads.  Without filter->follows their new threads are followed and no new processes, for tools whose
 * events do not have the process. 0, or -errno with one line in fault.  children__end() takes one that failed,
 * too.
 */
int children__start(const struct task_filter *filter, struct fault *fault);

/* Gives the map to an opened object that has one of that name.  Before it is loaded.  0 or -errno. */
int children__share(const struct bpf_object *object);

/*
 * Whether a process or thread is followed, by its number in the initial pid namespace.  After its end the answer holds
 * until the kernel gives the number to another task.  False where nothing was started.
 */
bool children__follow(uint32_t number);

/* How many new tasks the program was not run for, as far as the kernel counts that (since 6.7).  Those are not followed. */
uint64_t children__missed(void);

/* Detaches the program and frees what was made. */
void children__end(void);

#endif
