/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cred_calls: changes its credentials in every way that there is a call for, each in a process of its own, and prints what a
 * tracer must show: lines of "PID COMM CHANGES".
 */
#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void row(const char *changes)
{
	printf("%d cred_calls %s\n", getpid(), changes);
	fflush(stdout);
}

static void must(long result)
{
	if (result < 0) {
		perror("cred_calls");
		_exit(1);
	}
}

static unsigned int user_ns(void)
{
	struct stat ns;

	must(stat("/proc/self/ns/user", &ns));
	return (unsigned int)ns.st_ino;
}

static void set_caps(unsigned int effective, unsigned int inheritable)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	must(syscall(SYS_capget, &header, data));
	data[0].effective &= ~effective;
	data[0].inheritable |= inheritable;
	must(syscall(SYS_capset, &header, data));
}

static void groups(void)
{
	gid_t list[] = { 7, 8 };

	must(setresgid(1, 2, 3));
	row("gid 0>1 egid 0>2 sgid 0>3 fsgid 0>2");
	must(setgid(4));
	row("gid 1>4 egid 2>4 sgid 3>4 fsgid 2>4");
	must(setgroups(2, list));
	row("groups");
}

/* No change, no event. */
static void nothing(void)
{
	must(setresuid(0, 0, 0));
	must(setresgid((gid_t)-1, (gid_t)-1, 0));
	set_caps(0, 0);
}

static void capabilities(void)
{
	set_caps(1u << CAP_SYS_BOOT, 0);
	row("effective -sys_boot");
	set_caps(0, 1u << CAP_KILL | 1u << CAP_CHOWN);
	row("inheritable +chown,kill");
	must(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_KILL, 0, 0));
	row("ambient +kill");
	must(prctl(PR_CAPBSET_DROP, CAP_CHECKPOINT_RESTORE));
	row("bounding -checkpoint_restore");
	must(prctl(PR_SET_SECUREBITS, SECBIT_KEEP_CAPS));
	row("securebits 0>16");
}

/* Root's capabilities go with root. */
static void user(void)
{
	must(setresuid(1000, 1000, 0));
	row("uid 0>1000 euid 0>1000 fsuid 0>1000 effective -all");
	must(setresuid((uid_t)-1, 0, (uid_t)-1));
	row("euid 1000>0 fsuid 1000>0 effective +all");
	must(setuid(4243));
	row("uid 1000>4243 euid 0>4243 suid 0>4243 fsuid 0>4243 permitted -all effective -all");
}

static void namespace(void)
{
	unsigned int before = user_ns();
	char text[64];

	must(unshare(CLONE_NEWUSER));
	snprintf(text, sizeof(text), "userns %u>%u", before, user_ns());
	row(text);
}

int main(void)
{
	void (*const all[])(void) = { groups, nothing, capabilities, user, namespace };
	int status;

	prctl(PR_SET_NAME, "cred_calls");
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (!fork()) {
			all[i]();
			_exit(0);
		}
		if (wait(&status) < 0 || status)
			return 1;
	}
	return 0;
}
