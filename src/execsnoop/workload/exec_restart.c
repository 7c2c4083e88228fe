/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * exec_restart DIR: user 4242 executes DIR/restarted, which this program holds a write lease on, and so waits.  It is
 * stopped and goes on, which interrupts the call and restarts it; then the lease is given up, and the call succeeds.
 * Prints that as execsnoop does.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asleep.h"

#define USER 4242

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void copy_myself(const char *path)
{
	int from = open("/proc/self/exe", O_RDONLY), to = open(path, O_WRONLY | O_CREAT | O_EXCL, 0755);

	while (from >= 0 && to >= 0) {
		ssize_t copied = sendfile(to, from, NULL, 1 << 20);

		if (copied < 0)
			die(path);
		if (!copied)
			break;
	}
	if (from < 0 || to < 0 || close(from) || close(to))
		die(path);
}

static void await_asleep(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	while (!is_asleep_in(SYS_execve, pid)) {
		if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid) {
			fprintf(stderr, "the call does not wait: status %d\n", info.si_status);
			exit(1);
		}
	}
}

int main(int argc, char **argv)
{
	char path[4096];
	int status, fd;
	pid_t pid;

	if (argc == 2 && !strcmp(argv[1], "executed"))
		return 0;
	if (argc != 2)
		die("usage: exec_restart DIR");
	snprintf(path, sizeof(path), "%s/restarted", argv[1]);
	copy_myself(path);
	/* the kernel tells the holder that somebody waits */
	signal(SIGIO, SIG_IGN);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fcntl(fd, F_SETLEASE, F_WRLCK))
		die("the lease");
	pid = fork();
	if (!pid) {
		if (setgid(USER) || setuid(USER))
			_exit(2);
		execl(path, path, "executed", NULL);
		_exit(3);
	}
	await_asleep(pid);
	if (kill(pid, SIGSTOP) || waitpid(pid, &status, WUNTRACED) != pid || !WIFSTOPPED(status) || kill(pid, SIGCONT) ||
	    waitpid(pid, &status, WCONTINUED) != pid)
		die("stopping it");
	await_asleep(pid);
	if (fcntl(fd, F_SETLEASE, F_UNLCK))
		die("the lease");
	if (waitpid(pid, &status, 0) != pid || status)
		die("the program");
	printf("restarted %d %d 0 %s executed\n", pid, getpid(), path);
	return 0;
}
