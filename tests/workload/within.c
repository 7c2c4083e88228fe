/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * within SECONDS COMMAND ARG...: runs a command and kills it after that time, and at its end whatever it has left
 * running, which would be there in the next test's rows; its exit status, or 137.
 *
 * Where the time is up it first says where each thread of a program is, in the kernel, so that one can see what hung.
 *
 * As timeout(1), but quiet: busybox' one asks once a second with kill(2) whether the command is still there, which is what
 * killsnoop is there to show.  This one waits, and kills through a pidfd.
 */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void kill_process(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);	/* since 5.3 */

	if (fd < 0)
		return;
	syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
	close(fd);
}

/* What is left has become ours (PR_SET_CHILD_SUBREAPER); the children of those that are killed become so too. */
static void kill_rest(void)
{
	char path[64], *at, *next;
	static char list[65536];
	ssize_t size;
	pid_t pid;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	for (;;) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		size = fd < 0 ? -1 : read(fd, list, sizeof(list) - 1);
		close(fd);
		if (size <= 0)
			return;
		list[size] = 0;
		for (at = list; (pid = (pid_t)strtol(at, &next, 10)) > 0; at = next)
			kill_process(pid);
		waitpid(-1, NULL, 0);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
}

/* A file of /proc/PID, as comment lines; its bytes, or 0. */
static size_t tell_file(const char *process, const char *name)
{
	char path[300], text[4096];
	size_t size;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/%s", process, name);
	file = fopen(path, "re");
	if (!file)
		return 0;
	size = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[size] = 0;
	for (size_t i = 0; i < size; i++)
		text[i] = text[i] ? text[i] : ' ';
	for (char *rest = text, *line; (line = strsep(&rest, "\n"));)
		if (*line)
			fprintf(stderr, "#   %s %s: %s\n", process, name, line);
	return size;
}

/* Threads of the kernel have no command line. */
static void tell_all(void)
{
	DIR *processes = opendir("/proc"), *tasks;
	struct dirent *process, *task;
	char path[300];

	while (processes && (process = readdir(processes))) {
		if (*process->d_name < '0' || *process->d_name > '9' || !tell_file(process->d_name, "cmdline"))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/task", process->d_name);
		tasks = opendir(path);
		while (tasks && (task = readdir(tasks)))
			if (*task->d_name != '.') {
				tell_file(task->d_name, "comm");
				tell_file(task->d_name, "syscall");
				tell_file(task->d_name, "stack");
			}
		if (tasks)
			closedir(tasks);
	}
	if (processes)
		closedir(processes);
}

int main(int argc, char **argv)
{
	struct pollfd end = { .events = POLLIN };
	double seconds = argc > 2 ? atof(argv[1]) : 0;
	int status;
	pid_t pid;

	if (!(seconds > 0)) {
		fprintf(stderr, "usage: within SECONDS COMMAND ARG...\n");
		return 2;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid = fork();
	if (!pid) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	end.fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pid < 0 || end.fd < 0) {
		perror("within");
		return 125;
	}
	if (!poll(&end, 1, (int)(seconds * 1000))) {
		tell_all();
		syscall(SYS_pidfd_send_signal, end.fd, SIGKILL, NULL, 0);
	}
	/* Where not even SIGKILL ends something (it sleeps uninterruptibly), this one ends by its alarm. */
	alarm(300);
	waitpid(pid, &status, 0);
	kill_rest();
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
