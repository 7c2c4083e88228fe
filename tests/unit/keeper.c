/* SPDX-License-Identifier: BSD-2-Clause */
/* The keeper: what it answers, and that its owner never waits for an answer that cannot come. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "lib/probe/keeper.h"

static int answer(void *context)
{
	return *(int *)context;
}

/* In the keeper: from now on each write(2) of this process fails. */
static int refuse_writes(void *context)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EIO),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(filter) / sizeof(*filter), .filter = filter };

	(void)context;
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? -errno : 0;
}

static pid_t test;

static int in_child(void *context)
{
	(void)context;
	return getpid() != test && getsid(0) == getpid() ? 0 : -EINVAL;
}

/* Somebody kills the keeper in the middle of its work. */
static int killed(void *context)
{
	(void)context;
	return kill(getpid(), SIGKILL);
}

int main(void)
{
	struct keeper keeper;
	int result = -ENOENT;

	test = getpid();
	signal(SIGPIPE, SIG_IGN);
	/* a keeper that is waited for in vain ends the test */
	alarm(600);

	CHECK_INT(keeper__start(&keeper, &(struct keeper_jobs){ .clean = answer }, &result), 0);
	CHECK_INT(keeper__clean(&keeper), -ENOENT);
	CHECK_INT(keeper__clean(&keeper), -ENOENT);
	keeper__end(&keeper);
	CHECK_INT(keeper.pid, 0);
	CHECK_INT(keeper__clean(&keeper), -ESRCH);
	keeper__end(&keeper);

	CHECK_INT(keeper__start(&keeper, &(struct keeper_jobs){ .clean = refuse_writes }, NULL), 0);
	CHECK_INT(keeper__clean(&keeper), -ESRCH);
	/* it still takes the order to end */
	keeper__end(&keeper);
	CHECK_INT(keeper.pid, 0);

	/* what is to be made is made by the child, before it is asked for anything */
	CHECK_INT(keeper__start(&keeper, &(struct keeper_jobs){ .make = in_child, .clean = answer }, &result), 0);
	CHECK_INT(keeper__clean(&keeper), -ENOENT);
	keeper__end(&keeper);
	CHECK_INT(keeper__start(&keeper, &(struct keeper_jobs){ .make = answer, .clean = answer }, &result), -ENOENT);
	CHECK_INT(keeper.pid, 0);
	CHECK_INT(keeper__start(&keeper, &(struct keeper_jobs){ .make = killed, .clean = answer }, &result), -ESRCH);
	CHECK_INT(keeper.pid, 0);

	CHECK_INT(keeper__start(&keeper, &(struct keeper_jobs){ .clean = answer }, &result), 0);
	CHECK_INT(kill(keeper.pid, SIGKILL), 0);
	CHECK_INT(keeper__clean(&keeper), -ESRCH);
	keeper__end(&keeper);
	CHECK_INT(keeper.pid, 0);

	/* it works while its owner goes on: each answer is that of what was asked */
	CHECK_INT(keeper__start(&keeper, &(struct keeper_jobs){ .work = in_child, .clean = answer }, &result), 0);
	CHECK_INT(keeper__finish(&keeper), 0);
	CHECK_INT(keeper__begin(&keeper), 0);
	CHECK_INT(keeper__finish(&keeper), 0);
	CHECK_INT(keeper__finish(&keeper), 0);
	CHECK_INT(keeper__begin(&keeper), 0);
	CHECK_INT(keeper__clean(&keeper), -ENOENT);
	CHECK_INT(keeper__begin(&keeper), 0);
	keeper__end(&keeper);
	CHECK_INT(keeper.pid, 0);
	CHECK_INT(keeper__begin(&keeper), -ESRCH);
	CHECK_INT(keeper__finish(&keeper), 0);
	CHECK_INT(keeper__start(&keeper, &(struct keeper_jobs){ .work = killed, .clean = answer }, &result), 0);
	CHECK_INT(keeper__begin(&keeper), 0);
	CHECK_INT(keeper__finish(&keeper), -ESRCH);
	keeper__end(&keeper);
	CHECK_INT(keeper.pid, 0);
	return check_done();
}
