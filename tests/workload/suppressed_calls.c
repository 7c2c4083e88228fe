/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * suppressed_calls HOW N: makes system calls that do not run, N times unlinkat, openat and fsync, or, with HOW
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
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "machine.h"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif
#ifndef PTRACE_SYSEMU
#define PTRACE_SYSEMU 31
#endif
#define HANDLED 7
#define NO_FD 999
#define STOP_OF_CALL (SIGTRAP | 0x80)	/* PTRACE_O_TRACESYSGOOD */

#if defined(__x86_64__)

/* What a stopped task has for the number of its call, and for the result. */
struct call {
	struct user_regs_struct regs;
};

static void call__read(struct call *call, pid_t child)
{
	ptrace(PTRACE_GETREGS, child, 0, &call->regs);
}

static long call__number(const struct call *call)
{
	return (long)call->regs.orig_rax;
}

static void call__replace(struct call *call, pid_t child, long number)
{
	call->regs.orig_rax = (unsigned long long)number;
	ptrace(PTRACE_SETREGS, child, 0, &call->regs);
}

static void call__end(struct call *call, pid_t child, long result)
{
	call->regs.rax = (unsigned long long)result;
	ptrace(PTRACE_SETREGS, child, 0, &call->regs);
}

static void set_result(ucontext_t *context, long result)
{
	context->uc_mcontext.gregs[REG_RAX] = result;
}

#else

#ifndef NT_ARM_SYSTEM_CALL
#define NT_ARM_SYSTEM_CALL 0x404
#endif

struct call {
	struct user_regs_struct regs;
	int number;
};

static void call__read(struct call *call, pid_t child)
{
	struct iovec regs = { &call->regs, sizeof(call->regs) }, number = { &call->number, sizeof(call->number) };

	ptrace(PTRACE_GETREGSET, child, NT_PRSTATUS, &regs);
	ptrace(PTRACE_GETREGSET, child, NT_ARM_SYSTEM_CALL, &number);
}

static long call__number(const struct call *call)
{
	return call->number;
}

static void call__replace(struct call *call, pid_t child, long number)
{
	struct iovec part = { &call->number, sizeof(call->number) };

	call->number = (int)number;
	ptrace(PTRACE_SETREGSET, child, NT_ARM_SYSTEM_CALL, &part);
}

static void call__end(struct call *call, pid_t child, long result)
{
	struct iovec regs = { &call->regs, sizeof(call->regs) };

	call->regs.regs[0] = (unsigned long long)result;
	ptrace(PTRACE_SETREGSET, child, NT_PRSTATUS, &regs);
}

static void set_result(ucontext_t *context, long result)
{
	context->uc_mcontext.regs[0] = (unsigned long long)result;
}

#endif

static volatile char dispatches;	/* 0: calls run */

static void on_signal(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	dispatches = 0;
	set_result(context, HANDLED);
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
		make("unlinkat", SYS_unlinkat, AT_FDCWD, (long)path, wanted, armed);
		make("openat", SYS_openat, AT_FDCWD, (long)path, wanted, armed);
		make("fsync", SYS_fsync, NO_FD, 0, wanted, armed);
	}
}

static int is_target(long number)
{
	return number == SYS_unlinkat || number == SYS_openat || number == SYS_fsync;
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
	struct call call;

	call__read(&call, child);
	if (!strcmp(how, "emulated")) {
		if (!is_target(call__number(&call)))
			return 0;
		call__end(&call, child, -EPERM);
		return 1;
	}
	if (!strcmp(how, "replaced") && !*at_exit && is_target(call__number(&call)))
		call__replace(&call, child, -1);
	else if (*at_exit && call__number(&call) == -1)
		call__end(&call, child, -EPERM);
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
