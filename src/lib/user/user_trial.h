/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tries what the kernel's return probes do to a process with a seccomp filter.  Since 6.11 a probed call on x86-64 returns through a system
 * call.  The first kernels that had it showed it to filters (systemd#34615): the process was killed, or its call returned to nowhere.  No
 * release tells which kernels do so, so a child of our own, with a filter and a return probe, is tried once a boot (lib/kernel/cache.h).
 */
#ifndef PROBELIGHT_USER_TRIAL_H
#define PROBELIGHT_USER_TRIAL_H

#include <stdint.h>

#include "lib/print/fault.h"

/*
 * Before a return probe of the kernel's is attached: 0, also where nothing can be tried, or -EOPNOTSUPP with one line in fault: it would
 * kill processes that have a filter.
 */
int user_trial__check(struct fault *fault);

#define USER_TRIAL_NONE 1	/* nothing was tried: the next run tries again */

/*
 * What became of the child: its status of waitpid(2), and how many returns the probe saw.  0, -EOPNOTSUPP or USER_TRIAL_NONE.  For unit
 * tests.
 */
int user_trial__judge(int status, uint64_t returns);

/* The same, for unit tests: makes the child, with calls that its filter lets pass; probe() opens an event at the return of its function. */
int user_trial__run(const int *allowed, unsigned int count, int (*probe)(const char *path, uint64_t offset, int pid));

#endif
