/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cap_calls: has capabilities checked in the ways that there are, and prints what a tracer must show, lines of
 * "PID COMM CAP USERNS KIND VERDICT", in order.  Other checks may come between.
 */
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned int user_ns(void)
{
	struct stat ns;

	if (stat("/proc/self/ns/user", &ns))
		exit(1);
	return (unsigned int)ns.st_ino;
}

static void row(const char *capability, unsigned int ns, const char *kind, const char *verdict)
{
	printf("%d cap_calls %s %u %s %s\n", getpid(), capability, ns, kind, verdict);
	fflush(stdout);
}

/* Each asks for one capability before it looks at its arguments, which are none that it takes. */
static void set_hostname(void)
{
	syscall(SYS_sethostname, NULL, -1);
}

static void reboot_not(void)
{
	syscall(SYS_reboot, 0, 0, 0, NULL);
}

static void drop(int capability)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	syscall(SYS_capget, &header, data);
	data[0].effective &= ~(1u << capability);
	if (syscall(SYS_capset, &header, data))
		exit(1);
}

/* /proc/PID/stat, its state. */
static char read_stat(pid_t pid)
{
	char path[64], text[512] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (!file || !fgets(text, sizeof(text), file))
		exit(1);
	fclose(file);
	return strrchr(text, ')')[2];
}

static bool sleeps(pid_t pid)
{
	return read_stat(pid) == 'S';
}

int main(void)
{
	unsigned int initial = user_ns(), own;
	pid_t child;

	prctl(PR_SET_NAME, "cap_calls");
	set_hostname();
	row("CAP_SYS_ADMIN", initial, "audit", "allowed");
	reboot_not();
	row("CAP_SYS_BOOT", initial, "audit", "allowed");
	drop(CAP_SYS_BOOT);
	reboot_not();
	row("CAP_SYS_BOOT", initial, "audit", "denied");
	/* what a reader may see of another user's process depends on it, and is no denial */
	child = fork();
	if (!child) {
		if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534) || prctl(PR_SET_DUMPABLE, 1))
			_exit(1);
		read_stat(1);
		row("CAP_SYS_PTRACE", initial, "question", "denied");
		for (;;)
			pause();
	}
	/* until it sleeps in pause(), as it is told of */
	while (!sleeps(child))
		;
	row("CAP_SYS_PTRACE", initial, "question", "allowed");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	child = fork();
	if (!child) {
		/* all capabilities in a namespace of its own, none outside of it */
		if (unshare(CLONE_NEWUSER))
			_exit(1);
		own = user_ns();
		set_hostname();
		row("CAP_SYS_ADMIN", initial, "audit", "denied");
		if (unshare(CLONE_NEWUTS))
			_exit(1);
		row("CAP_SYS_ADMIN", own, "audit", "allowed");
		set_hostname();
		row("CAP_SYS_ADMIN", own, "audit", "allowed");
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return 0;
}
