/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kill_calls: sends signals in every way that there is a system call for, and prints what a tracer must show: lines of
 * "PID UID COMM CALL SIG TPID RESULT" as `killsnoop -Ue` has them.  Then the same by 32-bit system calls, made by int 0x80
 * from a 64-bit program; where the kernel has none (CONFIG_IA32_EMULATION), it leaves that out and its exit status is 77.
 *
 * kill_calls group PID: one, by a pidfd to all of the group that PID leads (since 6.9).
 *
 * kill_calls x32: the calls that the x32 ABI shares with the 64-bit one, made as x32 calls; exit status 77 where the kernel has
 * none (CONFIG_X86_X32_ABI and, on Debian's kernels, syscall.x32=y on their command line).
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "call32.h"

/* arch/x86/entry/syscalls/syscall_32.tbl */
#define NR32_KILL 37
#define NR32_TKILL 238
#define NR32_TGKILL 270
#define NR32_RT_SIGQUEUEINFO 178
#define NR32_RT_TGSIGQUEUEINFO 335
#define NR_PIDFD_SEND_SIGNAL 424	/* in every table, since 5.1 */
#define NR_PIDFD_OPEN 434

#define X32_BIT 0x40000000	/* __X32_SYSCALL_BIT */

#define SELF_THREAD (-10000)	/* PIDFD_SELF_THREAD, since 6.15 */

static char comm[16];
static bool compat;
static long x32;		/* X32_BIT in x32 calls */
static long info32;		/* room for a siginfo_t where a 32-bit pointer can point */

/* 0 or -errno */
static long call4(long nr, long nr32, long a, long b, long c, long d)
{
	if (compat)
		return call32(nr32, a, b, c, d, 0);
	return syscall(nr | x32, a, b, c, d) ? -errno : 0;
}

static long call(long nr, long nr32, long a, long b, long c)
{
	return call4(nr, nr32, a, b, c, 0);
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

/* Only the first words matter, and they are the same in both ABIs: si_signo, si_errno, si_code. */
static long queue_info(int signal)
{
	int words[3] = { signal, 0, SI_QUEUE };
	static siginfo_t info;

	memcpy(compat ? (void *)info32 : &info, words, sizeof(words));
	return compat ? info32 : (long)&info;
}

static void do_queue(int target, int signal, const char *name)
{
	row("rt_sigqueueinfo", name, target,
	    call(SYS_rt_sigqueueinfo, NR32_RT_SIGQUEUEINFO, target, signal, queue_info(signal)));
}

static void do_tgqueue(int target, int signal, const char *name)
{
	row("rt_tgsigqueueinfo", name, target,
	    call4(SYS_rt_tgsigqueueinfo, NR32_RT_TGSIGQUEUEINFO, getpid(), target, signal, queue_info(signal)));
}

/* target: the process that the descriptor stands for, if it is one that the kernel takes */
static void do_pidfd_with(unsigned int flags, int fd, int target, int signal, const char *name)
{
	long result = call4(NR_PIDFD_SEND_SIGNAL, NR_PIDFD_SEND_SIGNAL, fd, signal, 0, flags);

	if (result != -EBADF)
		row("pidfd_send_signal", name, target, result);
	else
		printf("%d %u %s pidfd_send_signal %s - %ld\n", getpid(), getuid(), comm, name, result);
}

static void do_pidfd(int fd, int target, int signal, const char *name)
{
	do_pidfd_with(0, fd, target, signal, name);
}

static void none(int signal)
{
	(void)signal;
}

static void all_calls(int gone, int gone_fd)
{
	int self_fd = (int)syscall(NR_PIDFD_OPEN, getpid(), 0), proc_fd = open("/proc/self", O_DIRECTORY), file_fd = dup(0);

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
	if (!x32) {	/* there these have numbers of their own */
		do_queue(self, SIGUSR1, "SIGUSR1");
		do_queue(gone, SIGHUP, "SIGHUP");
		do_tgqueue(thread, SIGUSR1, "SIGUSR1");
		do_tgqueue(gone, SIGHUP, "SIGHUP");
	}
	do_pidfd(self_fd, self, SIGUSR1, "SIGUSR1");
	do_pidfd(gone_fd, gone, SIGTERM, "SIGTERM");
	do_pidfd(proc_fd, self, 0, "0");
	do_pidfd(file_fd, 0, SIGTERM, "SIGTERM");
	do_pidfd(9999, 0, SIGTERM, "SIGTERM");
	do_pidfd(-1, 0, SIGTERM, "SIGTERM");
	do_pidfd(SELF_THREAD, self, 0, "0");
	/* PIDFD_SIGNAL_THREAD and PIDFD_SIGNAL_PROCESS_GROUP, since 6.9 */
	do_pidfd_with(1, self_fd, self, 0, "0");
	do_pidfd_with(4, self_fd, -self, 0, "0");
	do_pidfd_with(4, gone_fd, -gone, SIGTERM, "SIGTERM");
	close(self_fd);
	close(proc_fd);
	close(file_fd);
}

/* The group that a process leads gets signal 0: the kernel takes its pidfd for that since 6.9. */
static int to_group(int leader)
{
	int fd = (int)syscall(NR_PIDFD_OPEN, leader, 0);

	return fd < 0 || syscall(NR_PIDFD_SEND_SIGNAL, fd, 0, NULL, 4) ? 1 : 0;
}

int main(int argc, char **argv)
{
	int gone, gone_fd, status;

	if (prctl(PR_GET_NAME, comm))
		return 1;
	if (argc > 2 && !strcmp(argv[1], "group"))
		return to_group(atoi(argv[2]));
	if (argc > 1) {
		if (strcmp(argv[1], "x32"))
			return 2;
		if (syscall(SYS_getpid | X32_BIT) != getpid())
			return CALL32_NONE;
		x32 = X32_BIT;
	}
	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
	signal(SIGUSR1, none);
	signal(SIGRTMIN + 3, none);
	/* a pid that is none any more */
	gone = fork();
	if (!gone) {
		call32__need();
		_exit(0);
	}
	gone_fd = (int)syscall(NR_PIDFD_OPEN, gone, 0);		/* since 5.3 */
	waitpid(gone, &status, 0);
	if (gone_fd < 0)
		return 1;

	all_calls(gone, gone_fd);
	if (x32)
		return 0;
	if (status)
		return CALL32_NONE;
	compat = true;
	info32 = low32(&(siginfo_t){ 0 }, sizeof(siginfo_t));
	all_calls(gone, gone_fd);
	return 0;
}
