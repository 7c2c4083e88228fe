/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counted_child PAGES TYPE:CONFIG TYPE:CONFIG
 *
 * A process that sleeps until a line comes on stdin, then touches so many pages, each of them in turn with a sleep at every hundredth, and
 * ends.  Prints "ready", and at the end its number, and what the kernel counted of the two events (perf_event_open(2)) for it meanwhile.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define EVENTS 2

static void fail(const char *what)
{
	fprintf(stderr, "counted_child: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void child(int from, long pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = ((size_t)pages + 1) * page;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), go;

	/* EINVAL: the kernel has no huge pages (PREEMPT_RT) */
	if (memory == MAP_FAILED || (madvise(memory, size, MADV_NOHUGEPAGE) && errno != EINVAL))
		_exit(1);
	if (read(from, &go, 1) != 1)
		_exit(1);
	for (long i = 0; i < pages; i++) {
		memory[(size_t)i * page] = 1;
		if (i % 100 == 99)
			usleep(1000);
	}
	_exit(0);
}

static int open_event(const char *text, pid_t pid)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	unsigned int type;
	unsigned long long config;
	int fd;

	if (sscanf(text, "%u:%llu", &type, &config) != 2)
		exit(2);
	attr.type = type;
	attr.config = config;
	fd = (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, 0);
	if (fd < 0)
		fail("perf_event_open");
	return fd;
}

/* Until it is in read(2). */
static void await_sleep(pid_t pid)
{
	char path[64], line[512], *state;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	for (;;) {
		file = fopen(path, "r");
		if (!file || !fgets(line, sizeof(line), file))
			fail(path);
		fclose(file);
		state = strrchr(line, ')');
		if (state && state[2] == 'S')
			return;
		if (state && state[2] == 'Z') {
			fprintf(stderr, "counted_child: the child has ended\n");
			exit(1);
		}
		usleep(1000);
	}
}

int main(int argc, char **argv)
{
	int to[2], fds[EVENTS], status;
	uint64_t count;
	pid_t pid;

	if (argc != 2 + EVENTS || pipe(to))
		return 2;
	pid = fork();
	if (!pid) {
		close(to[1]);
		child(to[0], atol(argv[1]));
	}
	await_sleep(pid);
	for (int i = 0; i < EVENTS; i++)
		fds[i] = open_event(argv[2 + i], pid);
	puts("ready");
	fflush(stdout);
	if (getchar() == EOF || write(to[1], "g", 1) != 1 || waitpid(pid, &status, 0) != pid || status)
		fail("the child");
	printf("%d", pid);
	for (int i = 0; i < EVENTS; i++) {
		if (read(fds[i], &count, sizeof(count)) != sizeof(count))
			fail("read");
		printf(" %llu", (unsigned long long)count);
	}
	puts("");
	return 0;
}
