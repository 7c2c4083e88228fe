/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signal_calls: has signals sent in every way there is, and by the kernel, and prints what a tracer must show: lines of
 * "PID COMM SIG CODE TPID TCOMM RESULT" as sigsnoop has them.  Signals of the kernel's own have no sender.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COMM "signal_calls"

static void row(int pid, const char *signal, const char *code, int target, const char *comm, const char *verdict)
{
	if (pid)
		printf("%d %s ", pid, pid == getpid() ? COMM : comm);
	else
		printf("- - ");
	printf("%s %s %d %s %s\n", signal, code, target, comm, verdict);
}

/* From and to this process. */
static void own(const char *signal, const char *code, const char *verdict)
{
	row(getpid(), signal, code, getpid(), COMM, verdict);
}

static void by_kernel(const char *signal, const char *code, const char *verdict)
{
	row(0, signal, code, getpid(), COMM, verdict);
}

static void none(int signal)
{
	(void)signal;
}

static void handle(int signal)
{
	struct sigaction action = { .sa_handler = none, .sa_flags = SA_RESTART };

	sigaction(signal, &action, NULL);
}

static void block(int how, int signal)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	sigprocmask(how, &set, NULL);
}

/* Takes a blocked signal, sent by somebody else. */
static void take(int signal)
{
	sigset_t set;
	int got;

	sigemptyset(&set);
	sigaddset(&set, signal);
	sigwait(&set, &got);
}

static void system_calls(void)
{
	int self = getpid();
	union sigval value = { .sival_int = 7 };

	handle(SIGUSR1);
	handle(SIGRTMIN + 3);
	kill(self, SIGUSR1);
	own("SIGUSR1", "SI_USER", "delivered");
	syscall(SYS_tkill, self, SIGUSR1);
	own("SIGUSR1", "SI_TKILL", "delivered");
	syscall(SYS_tgkill, self, self, SIGRTMIN + 3);
	own("SIGRTMIN+3", "SI_TKILL", "delivered");
	sigqueue(self, SIGUSR1, value);
	own("SIGUSR1", "SI_QUEUE", "delivered");
	syscall(SYS_pidfd_send_signal, syscall(SYS_pidfd_open, self, 0), SIGUSR1, NULL, 0);
	own("SIGUSR1", "SI_USER", "delivered");
	/* no signal, and none that is sent */
	kill(self, 0);
	kill(4000000, SIGTERM);
	kill(self, 65);
}

static void verdicts(void)
{
	int self = getpid();
	union sigval value = { .sival_int = 7 };
	struct rlimit limit, zero = { 0 };

	signal(SIGUSR2, SIG_IGN);
	kill(self, SIGUSR2);
	own("SIGUSR2", "SI_USER", "ignored");
	/* the default is to ignore it */
	kill(self, SIGWINCH);
	own("SIGWINCH", "SI_USER", "ignored");
	block(SIG_BLOCK, SIGUSR1);
	kill(self, SIGUSR1);
	own("SIGUSR1", "SI_USER", "delivered");
	kill(self, SIGUSR1);
	own("SIGUSR1", "SI_USER", "already_pending");
	block(SIG_UNBLOCK, SIGUSR1);
	getrlimit(RLIMIT_SIGPENDING, &limit);
	zero.rlim_max = limit.rlim_max;
	setrlimit(RLIMIT_SIGPENDING, &zero);
	sigqueue(self, SIGRTMIN + 3, value);
	own("SIGRTMIN+3", "SI_QUEUE", "overflow_fail");
	kill(self, SIGRTMIN + 3);
	own("SIGRTMIN+3", "SI_USER", "lose_info");
	setrlimit(RLIMIT_SIGPENDING, &limit);
}

/* Out of interrupts: whoever runs then is not the sender. */
static void timers(void)
{
	struct itimerval soon = { .it_value.tv_usec = 1000 };
	struct itimerspec at = { .it_value.tv_nsec = 1000000 };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	timer_t timer;

	block(SIG_BLOCK, SIGALRM);
	setitimer(ITIMER_REAL, &soon, NULL);
	take(SIGALRM);
	by_kernel("SIGALRM", "SI_KERNEL", "delivered");
	block(SIG_BLOCK, SIGUSR1);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &at, NULL);
	take(SIGUSR1);
	by_kernel("SIGUSR1", "SI_TIMER", "delivered");
	timer_delete(timer);
	block(SIG_UNBLOCK, SIGUSR1);
}

static void of_files(void)
{
	int fds[2];

	signal(SIGPIPE, SIG_IGN);
	if (pipe(fds))
		exit(1);
	close(fds[0]);
	if (write(fds[1], "", 1) > 0)
		exit(1);
	own("SIGPIPE", "SI_USER", "ignored");
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		exit(1);
	block(SIG_BLOCK, SIGIO);
	fcntl(fds[0], F_SETOWN, getpid());
	fcntl(fds[0], F_SETSIG, SIGIO);
	fcntl(fds[0], F_SETFL, O_ASYNC);
	if (write(fds[1], "", 1) != 1)
		exit(1);
	take(SIGIO);
	by_kernel("SIGIO", "POLL_IN", "delivered");
	fcntl(fds[0], F_SETFL, 0);
}

/* The terminal's Ctrl-C, by the kernel on behalf of nobody, to the group in the foreground. */
static void terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), go[2], end[2], status;
	struct utsname system;
	char name[64], byte;
	pid_t child;

	if (master < 0 || grantpt(master) || unlockpt(master) || ptsname_r(master, name, sizeof(name)) || pipe(go) || pipe(end))
		exit(1);
	block(SIG_BLOCK, SIGCHLD);
	fflush(stdout);
	child = fork();
	if (!child) {
		int tty;

		setsid();
		tty = open(name, O_RDWR);
		if (tty < 0 || ioctl(tty, TIOCSCTTY, 0) || write(go[1], "", 1) != 1)
			_exit(1);
		signal(SIGINT, SIG_DFL);
		for (;;)
			pause();
	}
	if (read(go[0], &byte, 1) != 1 || write(master, "\003", 1) != 1)
		exit(1);
	waitpid(child, &status, 0);
	row(0, "SIGINT", "SI_KERNEL", child, COMM, "delivered");
	/*
	 * Its session ends with it, and the terminal hangs up.  What comes after a signal has ended the process is "in the middle of death,
	 * nothing to do" for prepare_signal(): 5.10 lets it be delivered all the same, 6.1 and later ignore it.
	 */
	row(0, "SIGHUP", "SI_KERNEL", child, COMM, uname(&system) || !strncmp(system.release, "5.", 2) ? "delivered" : "ignored");
	printf("%d %s SIGCHLD CLD_KILLED %d %s delivered\n", child, COMM, getpid(), COMM);
	take(SIGCHLD);
	block(SIG_UNBLOCK, SIGCHLD);
	close(master);
}

/* An instruction that the CPU refuses, and si_code, which arm64 is more exact about. */
#ifdef __x86_64__
#define ILLEGAL "ILL_ILLOPN"
#define TRAPPED "SI_KERNEL"
static void make_fault(int how)
{
	if (how == SIGFPE)
		__asm__ volatile("xorl %%ecx, %%ecx; movl $1, %%eax; cltd; idivl %%ecx" : : : "eax", "ecx", "edx");
	if (how == SIGILL)
		__builtin_trap();
	if (how == SIGTRAP)
		__asm__ volatile("int3");
}
#else
#define ILLEGAL "ILL_ILLOPC"
#define TRAPPED "TRAP_BRKPT"
static void make_fault(int how)
{
	if (how == SIGILL)
		__asm__ volatile(".word 0");
	if (how == SIGTRAP)
		__asm__ volatile("brk #0");
}
#endif

static void end_of_child(int how, const char *signal, const char *code, const char *chld, int from_kernel)
{
	pid_t child;

	block(SIG_BLOCK, SIGCHLD);
	fflush(stdout);
	child = fork();
	if (!child) {
		struct rlimit none_at_all = { 0 };
		volatile int *volatile nowhere = NULL;

		setrlimit(RLIMIT_CORE, &none_at_all);
		if (how == SIGSEGV)
			*nowhere = 0;
		make_fault(how);
		_exit(3);
	}
	waitpid(child, NULL, 0);
	if (signal)
		row(from_kernel ? 0 : child, signal, code, child, COMM, "delivered");
	printf("%d %s SIGCHLD %s %d %s delivered\n", child, COMM, chld, getpid(), COMM);
	take(SIGCHLD);
	block(SIG_UNBLOCK, SIGCHLD);
}

int main(void)
{
	prctl(PR_SET_NAME, COMM);
	setvbuf(stdout, NULL, _IOFBF, 65536);
	system_calls();
	verdicts();
	timers();
	of_files();
	end_of_child(0, NULL, NULL, "CLD_EXITED", 0);
	end_of_child(SIGSEGV, "SIGSEGV", "SEGV_MAPERR", "CLD_KILLED", 1);
#ifdef __x86_64__
	/* arm64 does not trap at a division by 0 */
	end_of_child(SIGFPE, "SIGFPE", "FPE_INTDIV", "CLD_KILLED", 1);
#endif
	end_of_child(SIGILL, "SIGILL", ILLEGAL, "CLD_KILLED", 1);
	end_of_child(SIGTRAP, "SIGTRAP", TRAPPED, "CLD_KILLED", 1);
	terminal();
	return 0;
}
