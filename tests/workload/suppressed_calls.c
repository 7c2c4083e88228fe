/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * suppressed_calls HOW N: makes system calls that do not run, N times unlink, openat and fsync, or, with HOW
 *
 *	traced		under a tracer that lets them run
 *	replaced	under a tracer that replaces their number by -1 and lets them fail with EPERM, as strace --inject does
 *	emulated	under a tracer that emulates all calls (PTRACE_SYSEMU): they fail with EPERM
 *	dispatched	by syscall user dispatch, whose handler lets them return 7
 *
 * Exit status 77: the kernel has no such way.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif
#ifndef PTRACE_SYSEMU
#define PTRACE_SYSEMU 31
#endif
#define HANDLED 7
#define NO_FD 999
#define STOP_OF_CALL (SIGTRAP | 0x80)	/* PTRACE_O_TRACESYSGOOD */

static volatile char dispatches;	/* 0: calls run */

static void on_signal(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	dispatches = 0;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = HANDLED;
}

/* One call with SIGSYS' handler armed where dispatch is wanted; the handler's own return has to run. */
static void make(const char *name, long number, long first, long second, long wanted, char armed)
{
	long result;

	dispatches = armed;
	result = syscall(number, first, second, 0, 0);
	dispatches = 0;
	if (result == wanted)
		return;
	fprintf(stderr, "suppressed_calls: %s returned %ld\n", name, result);
	exit(1);
}

static void make_all(int count, long wanted, char armed)
{
	char path[] = "/suppressed";

	for (int i = 0; i < count; i++) {
		make("unlink", SYS_unlink, (long)path, 0, wanted, armed);
		make("openat", SYS_openat, AT_FDCWD, (long)path, wanted, armed);
		make("fsync", SYS_fsync, NO_FD, 0, wanted, armed);
	}
}

static int is_target(unsigned long long number)
{
	return number == SYS_unlink || number == SYS_openat || number == SYS_fsync;
}

/* Under PTRACE_SYSEMU the child makes nothing but the three calls until kill(2), which the tracer lets run. */
static void be_child(int count, int emulated)
{
	ptrace(PTRACE_TRACEME, 0, 0, 0);
	raise(SIGSTOP);
	make_all(count, -1, 0);
	if (emulated)
		syscall(SYS_getpid);	/* the tracer's sign to go on without */
	_exit(0);
}

/* The stop at the entry or the exit of a call; false: the tracer lets go. */
static int on_stop(pid_t child, const char *how, int *at_exit)
{
	struct user_regs_struct regs;

	ptrace(PTRACE_GETREGS, child, 0, &regs);
	if (!strcmp(how, "emulated")) {
		if (!is_target(regs.orig_rax))
			return 0;
		regs.rax = (unsigned long long)-EPERM;
		ptrace(PTRACE_SETREGS, child, 0, &regs);
		return 1;
	}
	if (!strcmp(how, "replaced") && !*at_exit && is_target(regs.orig_rax)) {
		regs.orig_rax = (unsigned long long)-1;
		ptrace(PTRACE_SETREGS, child, 0, &regs);
	} else if (*at_exit && regs.orig_rax == (unsigned long long)-1) {
		regs.rax = (unsigned long long)-EPERM;
		ptrace(PTRACE_SETREGS, child, 0, &regs);
	}
	*at_exit = !*at_exit;
	return 1;
}

static int trace(const char *how, int count)
{
	int emulated = !strcmp(how, "emulated"), status, at_exit = 0;
	pid_t child = fork();

	if (!child)
		be_child(count, emulated);
	waitpid(child, &status, 0);
	ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
	if (ptrace(emulated ? PTRACE_SYSEMU : PTRACE_SYSCALL, child, 0, 0)) {
		kill(child, SIGKILL);
		return 77;
	}
	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		int goes_on = WSTOPSIG(status) != STOP_OF_CALL || on_stop(child, how, &at_exit);

		ptrace(!goes_on ? PTRACE_DETACH : emulated ? PTRACE_SYSEMU : PTRACE_SYSCALL, child, 0, 0);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	int count = argc == 3 ? atoi(argv[2]) : 0;

	if (count < 1)
		return 2;
	if (strcmp(argv[1], "dispatched"))
		return trace(argv[1], count);
	sigaction(SIGSYS, &action, NULL);
	/* PR_SYS_DISPATCH_ON */
	if (prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, 0, 0, &dispatches))
		return 77;
	make_all(count, HANDLED, 1);
	return 0;
}
