/* SPDX-License-Identifier: BSD-2-Clause */
/* short_cgroups COUNT: makes so many cgroups in turn, uN.service, each for a process that makes one kill(2), and removes them. */
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int use(const char *path)
{
	struct clone_args args = { .flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD };
	int fd, status;
	pid_t pid;

	if (mkdir(path, 0755))
		return -1;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	args.cgroup = (__u64)fd;
	pid = fd < 0 ? -1 : (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (!pid)
		_exit(kill(getpid(), 0) != 0);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return -1;
	close(fd);
	return rmdir(path);
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
	char path[64];

	for (long i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "/sys/fs/cgroup/u%ld.service", i);
		if (use(path)) {
			perror(path);
			return 1;
		}
	}
	return 0;
}
