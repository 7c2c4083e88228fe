/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stack_flood COUNT: an unprivileged user who keeps readers of stacks busy.  Three kinds of COUNT processes each, as user 65534:
 *
 *	- they open /dev/null and sleep, each time at another stack
 *	- they run, each time at another stack
 *	- they make processes, which open a file, sleep and end
 *
 * All end when this process does.  It says "ready" once they are there.  It has frame pointers (stack_flood.flags).
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone, used))
#define KEEP_FRAME() asm volatile("" : : "r"(__builtin_frame_address(0)))
#define DEPTH 24

static void (*leaf)(void);

static void open_and_sleep(void)
{
	const struct timespec time = { .tv_nsec = 1 };
	int fd = open("/dev/null", O_RDONLY);

	close(fd);
	nanosleep(&time, NULL);
}

static void run(void)
{
	for (volatile int i = 0; i < 2000; i++)
		;
}

KEPT void left(uint32_t path, int depth);
KEPT void right(uint32_t path, int depth);

static inline void go_on(uint32_t path, int depth)
{
	if (!depth)
		leaf();
	else if (path & 1)
		left(path >> 1, depth - 1);
	else
		right(path >> 1, depth - 1);
}

KEPT void left(uint32_t path, int depth)
{
	KEEP_FRAME();
	go_on(path, depth);
	asm volatile("");
}

KEPT void right(uint32_t path, int depth)
{
	KEEP_FRAME();
	go_on(path, depth);
	asm volatile("nop");
}

static void make_processes(void)
{
	for (;;) {
		pid_t pid = fork();

		if (!pid) {
			open_and_sleep();
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	int count = argc == 2 ? atoi(argv[1]) : 0;

	for (int i = 0; i < 3 * count; i++) {
		if (fork())
			continue;
		if (setgid(65534) || setuid(65534) || prctl(PR_SET_PDEATHSIG, SIGKILL))
			return 1;
		if (i % 3 == 2)
			make_processes();
		leaf = i % 3 ? run : open_and_sleep;
		for (uint32_t path = (uint32_t)i << 16; ; path++)
			go_on(path * 2654435761u, DEPTH);
	}
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
