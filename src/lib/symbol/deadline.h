/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work that may never come back, with a limit of time: reading a file of a file system that hangs (a server that is gone, a FUSE
 * process that is stopped).
 */
#ifndef PROBELIGHT_DEADLINE_H
#define PROBELIGHT_DEADLINE_H

#include <stdint.h>

/*
 * Calls work(job) in a thread and returns what it returns; -ETIMEDOUT where it has not returned after limit_ms.  The thread
 * then goes on, and calls free_job(job) when it is over: the job belongs to it.  Else the job is the caller's.  -errno where no
 * thread can be made.  Signals are not delivered to the thread.
 */
int deadline__call(int (*work)(void *job), void (*free_job)(void *job), void *job, int64_t limit_ms);

#endif
