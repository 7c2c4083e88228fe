/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * remove_restart DIR: a thread of the name "restarted" removes a file that this program holds a delegation on, and
 * then a directory from one that it holds one on, and so waits.  It is stopped and goes on, which interrupts each
 * call and restarts it; then the delegation is given up, and the call succeeds.  Prints these as unlinksnoop does.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asleep.h"
#include "machine.h"

/* include/uapi/linux/fcntl.h, since 6.19 */
#ifndef F_SETDELEG
#define F_SETDELEG (1024 + 16)
struct delegation {
	unsigned int d_flags;
	unsigned short d_type;
	unsigned short d_pad;
};
#endif

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void set_delegation(int fd, unsigned short type)
{
	struct delegation delegation = { .d_type = type };

	if (fcntl(fd, F_SETDELEG, &delegation))
		die("F_SETDELEG");
}

static void await_asleep(pid_t pid, long call)
{
	siginfo_t info = { .si_pid = 0 };

	while (!is_asleep_in(call, pid)) {
		if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid) {
			fprintf(stderr, "the call does not wait: status %d\n", info.si_status);
			exit(1);
		}
	}
}

/* held: what the delegation is on: the file, or the directory that something is removed from. */
static void removed_at_last(const char *path, const char *held, long call)
{
	int fd = open(held, O_RDONLY | O_CLOEXEC), status;
	pid_t pid;

	if (fd < 0)
		die(held);
	set_delegation(fd, F_RDLCK);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_NAME, "restarted");
		_exit(syscall(call, path) ? errno : 0);
	}
	await_asleep(pid, machine__nr(call));
	if (kill(pid, SIGSTOP) || waitpid(pid, &status, WUNTRACED) != pid || !WIFSTOPPED(status) || kill(pid, SIGCONT) ||
	    waitpid(pid, &status, WCONTINUED) != pid)
		die("stopping it");
	await_asleep(pid, machine__nr(call));
	set_delegation(fd, F_UNLCK);
	if (waitpid(pid, &status, 0) != pid || status)
		die(path);
	close(fd);
	printf("%d restarted 0 %s\n", pid, path);
}

int main(int argc, char **argv)
{
	int fd;

	if (argc != 2 || chdir(argv[1]))
		die("usage: remove_restart DIR");
	/* the kernel tells the holder that somebody waits */
	signal(SIGIO, SIG_IGN);
	fd = open("delegated", O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0 || close(fd) || mkdir("delegated-dir", 0700))
		die(argv[1]);
	removed_at_last("delegated", "delegated", SYS_unlink);
	removed_at_last("delegated-dir", ".", SYS_rmdir);
	return 0;
}
