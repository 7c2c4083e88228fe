/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * exit_calls [-P] FOLDER: ends processes and threads in every way that there is, and prints what a tracer must show: lines
 * of "PCOMM PID PPID TID UID MIN MAX EXIT_CODE" as `exitsnoop -U -u 4243` has them, single spaces between, with two
 * numbers of seconds that AGE(s) is between.  With -P the rows of `exitsnoop -P`.  Core dumps go to FOLDER.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define USER 4243
#define THREADS 3

/* What a child's threads tell the parent. */
static struct {
	volatile pid_t tids[THREADS + 1];	/* the first thread's is 0 */
	volatile bool go;
} *shared;

static bool processes;
static int64_t case_start_ms;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static const char *signal_text(int status)
{
	static const struct {
		int signal;
		const char *name;
	} names[] = {
		{ SIGHUP, "SIGHUP" }, { SIGQUIT, "SIGQUIT" }, { SIGABRT, "SIGABRT" }, { SIGKILL, "SIGKILL" },
		{ SIGSEGV, "SIGSEGV" }, { SIGTERM, "SIGTERM" }, { SIGSYS, "SIGSYS" }, { 40, "SIGRTMIN+6" },
	};
	static char text[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].signal == WTERMSIG(status))
			snprintf(text, sizeof(text), "signal %d (%s)%s", names[i].signal, names[i].name,
				 WCOREDUMP(status) ? ", core dumped" : "");
	return text;
}

static void print_row(const char *comm, pid_t pid, pid_t tid, int64_t min_ms, int status)
{
	int64_t max_ms = now_ms() - case_start_ms + 1;

	printf("%s %d %d %d %u %.3f %.3f ", comm, pid, getpid(), tid, getuid(), (double)min_ms / 1000, (double)max_ms / 1000);
	if (WIFSIGNALED(status))
		printf("%s\n", signal_text(status));
	else
		printf("%d\n", WEXITSTATUS(status));
}

static void expect_thread(const char *comm, pid_t pid, pid_t tid, int status)
{
	if (!processes)
		print_row(comm, pid, tid, 0, status);
}

static void expect_process(const char *comm, pid_t pid, int64_t min_ms, int status)
{
	if (processes)
		print_row(comm, pid, pid, min_ms, status);
}

static pid_t start(void (*run)(void))
{
	pid_t pid;

	memset(shared, 0, sizeof(*shared));
	case_start_ms = now_ms();
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		prctl(PR_SET_NAME, "first");
		run();
		_exit(99);
	}
	return pid;
}

static int reap(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	return status;
}

/* A process of one thread. */
static void alone(void (*run)(void), int wanted)
{
	pid_t pid = start(run);
	int status = reap(pid);

	if (status != wanted) {
		fprintf(stderr, "exit_calls: a child ended with %#x, not %#x\n", status, wanted);
		exit(1);
	}
	expect_thread("first", pid, pid, status);
	expect_process("first", pid, 0, status);
}

static void exit_0(void) { _exit(0); }
static void exit_3(void) { _exit(3); }
static void exit_255(void) { _exit(255); }
static void exit_256(void) { syscall(SYS_exit, 256); }
static void die_of(int signal) { kill(getpid(), signal); pause(); }
static void die_of_kill(void) { die_of(SIGKILL); }
static void die_of_term(void) { die_of(SIGTERM); }
static void die_of_hup(void) { die_of(SIGHUP); }
static void die_of_40(void) { die_of(40); }

static void limit_core(rlim_t size)
{
	struct rlimit limit = { .rlim_cur = size, .rlim_max = RLIM_INFINITY };

	if (setrlimit(RLIMIT_CORE, &limit))
		_exit(98);
}

static int *volatile nowhere = (int *)8;

static void segfault(void) { limit_core(0); *nowhere = 1; }
static void segfault_with_core(void) { limit_core(RLIM_INFINITY); *nowhere = 1; }
static void quit_with_core(void) { limit_core(RLIM_INFINITY); die_of(SIGQUIT); }

static void lives_a_while(void)
{
	usleep(150000);
	_exit(0);
}

static void wait_for(volatile pid_t *tid)
{
	while (!*tid)
		sched_yield();
}

/* Until the kernel is through with the thread: its number is gone. */
static void wait_end(pid_t tid)
{
	while (!syscall(SYS_tgkill, getpid(), tid, 0) || errno != ESRCH)
		sched_yield();
}

/* Ends at once with the code, or if it is negative waits to be ended. */
static void *thread(void *argument)
{
	int index = (int)(intptr_t)argument & 15, code = (int)(intptr_t)argument >> 4;
	char name[16];

	snprintf(name, sizeof(name), "thread%d", index);
	prctl(PR_SET_NAME, name);
	shared->tids[index] = gettid();
	if (code >= 0)
		syscall(SYS_exit, code);
	while (true)
		pause();
	return NULL;
}

static void start_thread(int index, int code)
{
	pthread_t id;

	if (pthread_create(&id, NULL, thread, (void *)(intptr_t)(index | code << 4)))
		_exit(97);
	wait_for(&shared->tids[index]);
}

/* Two threads end by themselves, one is taken along by exit_group(). */
static void threads_then_exit(void)
{
	start_thread(1, 5);
	wait_end(shared->tids[1]);
	start_thread(2, 0);
	wait_end(shared->tids[2]);
	start_thread(3, -1);
	_exit(7);
}

static void threads_then_kill(void)
{
	start_thread(1, -1);
	start_thread(2, -1);
	die_of_kill();
}

static void threads_then_core(void)
{
	limit_core(RLIM_INFINITY);
	start_thread(1, -1);
	abort();
}

static void *lasts_longest(void *first)
{
	prctl(PR_SET_NAME, "thread1");
	shared->tids[1] = gettid();
	/* the first thread stays as a zombie: its number is not gone */
	while (!shared->go)
		sched_yield();
	(void)first;
	syscall(SYS_exit, 2);
	return NULL;
}

/* The first thread ends long before the process. */
static void first_ends_first(void)
{
	pthread_t id;

	if (pthread_create(&id, NULL, lasts_longest, NULL))
		_exit(97);
	wait_for(&shared->tids[1]);
	syscall(SYS_exit, 1);
}

/* Whether the task is a zombie. */
static bool has_ended(pid_t pid, pid_t tid)
{
	char path[64], text[256];
	const char *state;
	ssize_t size;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	fd = open(path, O_RDONLY);
	size = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	close(fd);
	if (size < 0)
		return true;
	text[size] = 0;
	state = strrchr(text, ')');
	return state && state[2] == 'Z';
}

static void *executes(void *nothing)
{
	(void)nothing;
	execl("/proc/self/exe", "exit_calls", "-0", NULL);
	_exit(96);
}

/* An exec ends all other threads; the one that calls it takes the first one's place. */
static void exec_in_thread(void)
{
	pthread_t id;

	start_thread(1, -1);
	pthread_create(&id, NULL, executes, NULL);
	for (;;)
		pause();
}

static void orphan(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_NAME, "orphan");
		while (!shared->go)
			sched_yield();
		_exit(4);
	}
	shared->tids[1] = pid;
	_exit(0);
}

static void several_threads(void)
{
	pid_t pid;
	int status;

	pid = start(threads_then_exit);
	status = reap(pid);
	expect_thread("thread1", pid, shared->tids[1], 5 << 8);
	expect_thread("thread2", pid, shared->tids[2], 0);
	expect_thread("thread3", pid, shared->tids[3], 7 << 8);
	expect_thread("first", pid, pid, 7 << 8);
	expect_process("first", pid, 0, status);

	/* often, for each time two threads may find that they are the last */
	for (int i = 0; i < 30; i++) {
		pid = start(threads_then_kill);
		status = reap(pid);
		expect_thread("thread1", pid, shared->tids[1], SIGKILL);
		expect_thread("thread2", pid, shared->tids[2], SIGKILL);
		expect_thread("first", pid, pid, SIGKILL);
		expect_process("first", pid, 0, status);
	}

	/* a thread that is taken along by a core dump ends before that is written */
	pid = start(threads_then_core);
	status = reap(pid);
	expect_thread("thread1", pid, shared->tids[1], SIGABRT);
	expect_thread("first", pid, pid, status);
	expect_process("first", pid, 0, status);

	pid = start(first_ends_first);
	while (!has_ended(pid, pid))
		sched_yield();
	shared->go = true;
	status = reap(pid);
	expect_thread("first", pid, pid, 1 << 8);
	expect_thread("thread1", pid, shared->tids[1], 2 << 8);
	expect_process("first", pid, 0, status);

	pid = start(exec_in_thread);
	status = reap(pid);
	/* ended without a status (do_group_exit() in kernel/exit.c) */
	expect_thread("first", pid, pid, 0);
	expect_thread("thread1", pid, shared->tids[1], 0);
	expect_thread("exe", pid, pid, status);
	expect_process("exe", pid, 0, status);
}

int main(int argc, char **argv)
{
	pid_t pid;

	if (argc == 2 && !strcmp(argv[1], "-0"))
		return 0;
	processes = argc > 1 && !strcmp(argv[1], "-P");
	if (argc != 2 + processes || chdir(argv[1 + processes]) || setresgid(USER, USER, USER) || setresuid(USER, USER, 0) ||
	    prctl(PR_SET_DUMPABLE, 1) || prctl(PR_SET_CHILD_SUBREAPER, 1)) {
		fprintf(stderr, "usage: exit_calls [-P] FOLDER\n");
		return 2;
	}
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		die("mmap");

	alone(exit_0, 0);
	alone(exit_3, 3 << 8);
	alone(exit_255, 255 << 8);
	alone(exit_256, 0);
	alone(die_of_kill, SIGKILL);
	alone(die_of_term, SIGTERM);
	alone(die_of_hup, SIGHUP);
	alone(die_of_40, 40);
	alone(segfault, SIGSEGV);
	alone(segfault_with_core, SIGSEGV | 0x80);
	alone(quit_with_core, SIGQUIT | 0x80);

	pid = start(lives_a_while);
	reap(pid);
	expect_thread("first", pid, pid, 0);
	expect_process("first", pid, 150, 0);

	pid = start(orphan);
	reap(pid);
	expect_thread("first", pid, pid, 0);
	expect_process("first", pid, 0, 0);
	shared->go = true;
	pid = shared->tids[1];
	reap(pid);
	expect_thread("orphan", pid, pid, 4 << 8);
	expect_process("orphan", pid, 0, 4 << 8);

	several_threads();
	/* its own end is not to be another row */
	if (setresuid(0, 0, 0))
		die("setresuid");
	return 0;
}
