/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fork_storm PATH FORKERS CHILDREN [go]: a storm of forks, in which each process makes exactly one open(2), of PATH, as its
 * very first system call.  This process makes one, then FORKERS processes at the same time, each of which makes CHILDREN
 * processes one after the other: by fork, vfork, clone3, with CLONE_PARENT, from a second thread, or with an execve(2)
 * before the open.  Prints the number of opens: 1 + FORKERS * (1 + CHILDREN). go: it starts when a line comes from stdin.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define KINDS 6

static const char *path;
static char *self[] = { "/proc/self/exe", NULL, NULL };

static void open_once(void)
{
	syscall(SYS_openat, AT_FDCWD, path, O_RDONLY, 0);
}

static void __attribute__((noreturn)) be_child(int with_exec)
{
	if (with_exec)
		syscall(SYS_execve, self[0], self, NULL);
	open_once();
	syscall(SYS_exit_group, 0);
	__builtin_unreachable();
}

/* Without CLONE_VM a raw clone(2) returns on a copy of the stack, as fork(2) does. */
static pid_t clone_with(unsigned long flags)
{
	return (pid_t)syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
}

static pid_t by_clone3(void)
{
	struct clone_args args = { .exit_signal = SIGCHLD };
	pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));

	return pid < 0 && errno == ENOSYS ? clone_with(0) : pid;
}

static void check(pid_t pid)
{
	if (pid < 0) {
		perror("fork_storm: clone");
		exit(1);
	}
}

static void *fork_in_thread(void *unused)
{
	pid_t pid = clone_with(0);

	(void)unused;
	if (!pid)
		be_child(0);
	check(pid);
	return NULL;
}

static void make_child(int kind)
{
	pthread_t thread;
	pid_t pid;

	switch (kind) {
	case 0: pid = clone_with(CLONE_VFORK); break;
	case 1: pid = by_clone3(); break;
	case 2: pid = clone_with(CLONE_PARENT); break;	/* a child of this process's parent, which waits for it */
	case 3:
		if (pthread_create(&thread, NULL, fork_in_thread, NULL) || pthread_join(thread, NULL))
			check(-1);
		pid = 1;
		break;
	default: pid = clone_with(0);
	}
	if (!pid)
		be_child(kind == 5);
	check(pid);
	/* those of before that have ended */
	while (waitpid(-1, NULL, kind == 2 ? WNOHANG : 0) > 0)
		;
}

int main(int argc, char **argv)
{
	int forkers, children;
	char line[16];

	if (argc == 2) {
		/* the exec of a child */
		path = argv[1];
		open_once();
		return 0;
	}
	if (argc < 4) {
		fprintf(stderr, "usage: fork_storm PATH FORKERS CHILDREN [go]\n");
		return 2;
	}
	path = argv[1];
	self[1] = argv[1];
	forkers = atoi(argv[2]);
	children = atoi(argv[3]);
	if (argc > 4 && !fgets(line, sizeof(line), stdin))
		return 2;
	open_once();
	for (int i = 0; i < forkers; i++) {
		pid_t pid = clone_with(0);

		check(pid);
		if (pid)
			continue;
		open_once();
		for (int child = 0; child < children; child++)
			make_child(child % KINDS);
		_exit(0);
	}
	while (wait(NULL) > 0 || errno == EINTR)
		;
	printf("%d\n", 1 + forkers * (1 + children));
	return 0;
}
