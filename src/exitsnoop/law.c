/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread of the writer's that ends, with exit code 1 where it is to fail. A bare one: there are many of them. */
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "law_workload.h"

#define THREADS 32	/* of a writer, at the same time */

/* No errno here: that is the parent's, with whom the thread shares all but its stack. */
static int run(void *code)
{
#ifdef __aarch64__
	register long nr __asm__("x8") = SYS_exit, argument __asm__("x0") = (long)(intptr_t)code;

	__asm__ volatile("svc #0" : : "r"(nr), "r"(argument) : "memory");
#else
	__asm__ volatile("syscall" : : "a"(SYS_exit), "D"((long)(intptr_t)code) : "rcx", "r11", "memory");
#endif
	__builtin_unreachable();
}

/* When its number is gone, the kernel is through with it. A yield would not let it run before the slice is over. */
static void wait_end(pid_t tid)
{
	while (tid && (!syscall(SYS_tgkill, getpid(), tid, 0) || errno != ESRCH))
		usleep(1);
}

static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	static char stacks[THREADS][16384] __attribute__((aligned(16)));
	static pid_t tids[THREADS];
	int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
	pid_t *tid = &tids[index % THREADS];

	(void)writer;
	wait_end(*tid);
	*tid = clone(run, stacks[index % THREADS] + sizeof(*stacks), flags, (void *)(intptr_t)fail);
	if (*tid < 0)
		law_die("clone");
	for (unsigned int i = 0; index == law_self.events - 1 && i < THREADS; i++)
		wait_end(tids[i]);
	return fail;
}
