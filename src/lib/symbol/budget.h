/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What naming the addresses of all processes may cost this one together: memory for their symbols and mappings, and
 * time.  Any user can have a process with thousands of large files mapped, or with files on a file system that hangs, so
 * a limit for each is none for all.  Both belong to the process, so there is one of each.
 */
#ifndef PROBELIGHT_BUDGET_H
#define PROBELIGHT_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Memory: an eighth of the machine's, at least 32 MB and at most 512 MB. Takes bytes of it; false: so much is not left,
 * and nothing is taken.  Any thread may call these.
 */
bool budget__take(size_t bytes);
void budget__give(size_t bytes);

/* How much is taken. */
size_t budget__taken(void);

/* Another size of it, for tests. */
void budget__set_memory(size_t bytes);

/*
 * Calls work(job) as deadline__call() does, and takes the time that it takes.  There are ten seconds; a quarter of the
 * time that goes by comes back.  Without any left: -EAGAIN, nothing is called, and the job is the caller's.
 */
int budget__call(int (*work)(void *job), void (*free_job)(void *job), void *job, int64_t limit_ms);

/* Once is_stopping() says so, two seconds are left and none come back: the tool names what it has seen, and ends. */
void budget__stop_with(bool (*is_stopping)(void));

/* Another time that is left, for tests. */
void budget__set_time(int64_t left_ms);

#endif
