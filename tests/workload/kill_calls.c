/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kill_calls: sends signals in every way that there is a system call for, and prints what a tracer must show: lines of
 * "PID UID COMM CALL SIG TPID RESULT" as `killsnoop -Ue` has them.  Then the same by 32-bit system calls, made by int 0x80
 * from a 64-bit program; where the kernel has none (CONFIG_IA32_EMULATION), it leaves that out and its exit status is 77.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "call32.h"

/* arch/x86/entry/syscalls/syscall_32.tbl */
#define NR32_KILL 37
#define NR32_TKILL 238
#define NR32_TGKILL 270

static char comm[16];
static bool compat;

/* 0 or -errno */
static long call(long nr, long nr32, long a, long b, long c)
{
	if (compat)
		return call32(nr32, a, b, c, 0, 0);
	return syscall(nr, a, b, c) ? -errno : 0;
}

static void row(const char *name, const char *signal, int target, long result)
{
	printf("%d %u %s %s %s %d %ld\n", getpid(), getuid(), comm, name, signal, target, result);
}

static void do_kill(int target, int signal, const char *name)
{
	row("kill", name, target, call(SYS_kill, NR32_KILL, target, signal, 0));
}

static void do_tkill(int target, int signal, const char *name)
{
	row("tkill", name, target, call(SYS_tkill, NR32_TKILL, target, signal, 0));
}

static void do_tgkill(int target, int signal, const char *name)
{
	row("tgkill", name, target, call(SYS_tgkill, NR32_TGKILL, getpid(), target, signal));
}

static void none(int signal)
{
	(void)signal;
}

static void all_calls(int gone)
{
	int self = getpid(), thread = (int)syscall(SYS_gettid);

	do_kill(self, SIGUSR1, "SIGUSR1");
	do_kill(self, 0, "0");
	do_kill(gone, SIGTERM, "SIGTERM");
	do_kill(self, 65, "65");
	do_kill(-gone, SIGKILL, "SIGKILL");
	do_tkill(thread, SIGRTMIN + 3, "SIGRTMIN+3");
	do_tkill(gone, SIGINT, "SIGINT");
	do_tkill(0, SIGINT, "SIGINT");
	do_tgkill(thread, SIGUSR1, "SIGUSR1");
	do_tgkill(gone, SIGHUP, "SIGHUP");
	do_tgkill(thread, -1, "-1");
}

int main(void)
{
	int gone, status;

	if (prctl(PR_GET_NAME, comm))
		return 1;
	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
	signal(SIGUSR1, none);
	signal(SIGRTMIN + 3, none);
	/* a pid that is none any more */
	gone = fork();
	if (!gone) {
		call32__need();
		_exit(0);
	}
	waitpid(gone, &status, 0);

	all_calls(gone);
	if (status)
		return CALL32_NONE;
	compat = true;
	all_calls(gone);
	return 0;
}
