// SPDX-License-Identifier: BSD-2-Clause
/* The trial of a return probe with a seccomp filter: what it says of a child that lives, of one that its filter kills, and of none. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "lib/user/user_trial.h"

static int opened;

/* In place of a probe: a descriptor that tells of one return. */
static int open_one(const char *path, uint64_t offset, int pid)
{
	opened += path[0] == '/' && offset && pid > 0;
	return eventfd(1, 0);
}

static int open_none(const char *path, uint64_t offset, int pid)
{
	(void)path;
	(void)offset;
	(void)pid;
	return -EACCES;
}

int main(void)
{
	/* the last one is the sanitizer's, before exit_group(2) */
	static const int allowed[] = { SYS_exit_group, SYS_exit, SYS_sigaltstack };

	CHECK_INT(user_trial__run(allowed, 3, open_one), 0);
	CHECK_INT(opened, 1);
	/* its filter kills it */
	CHECK_INT(user_trial__run(allowed, 0, open_one), -EOPNOTSUPP);
	/* nothing was tried */
	CHECK_INT(user_trial__run(allowed, 0, open_none), USER_TRIAL_NONE);
	/* killed, and its return was not seen */
	CHECK_INT(user_trial__judge(SIGSYS, 0), -EOPNOTSUPP);
	/* killed by somebody: the next run tries again */
	CHECK_INT(user_trial__judge(SIGINT, 0), USER_TRIAL_NONE);
	CHECK_INT(user_trial__judge(SIGKILL, 1), USER_TRIAL_NONE);
	/* it went on with another result */
	CHECK_INT(user_trial__judge(1 << 8, 1), -EOPNOTSUPP);
	/* no filter could be set */
	CHECK_INT(user_trial__judge(2 << 8, 1), USER_TRIAL_NONE);
	/* the probe saw nothing */
	CHECK_INT(user_trial__judge(0, 0), USER_TRIAL_NONE);
	CHECK_INT(user_trial__judge(0, 1), 0);
	return check_done();
}
