/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel_locks HOW COUNT: waits for locks of the kernel, and knows how many and for how long.  A line for each kind of wait:
 *
 *	HOW COUNT LEAST MOST	nanoseconds between which the sum lies
 *
 *	pty	COUNT reads of a terminal that another process reads (a mutex), each ended by a signal after 5 ms
 *	rtnl	COUNT processes wait for rtnl_mutex at the same time
 *	dir	a process makes a directory (write), and COUNT look up a name (read), in one that another process reads
 *
 * The last two say also how long the first holder had the lock ("held 1 …"), and how much later all was over ("rest COUNT 0 …").  Its buffer is on a page that comes when the others have waited long enough (userfaultfd(2)).
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "asleep.h"
#include "pty_lock.h"

#define PTY_US 5000
#define HOLD_MS 20
#define MOST 16

static uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void die(const char *what)
{
	perror(what);
	exit(125);
}

static void say(const char *what, int count, uint64_t least, uint64_t most)
{
	printf("%s %d %llu %llu\n", what, count, (unsigned long long)least, (unsigned long long)most);
}

static void wait_for_pty(int count)
{
	struct pty_lock lock = pty_lock__hold();
	uint64_t begin;

	prctl(PR_SET_NAME, "waiter");
	begin = clock_ns();
	for (int i = 0; i < count; i++)
		pty_lock__wait(&lock, PTY_US);
	/* the timer runs a moment before the wait does */
	say("pty", count, (uint64_t)count * PTY_US * 900, clock_ns() - begin);
	pty_lock__release(&lock);
}

/* ---- locks that are held while a page is missing */

static char *missing;
static int faults, dir, size = 4096;
static long holder_call;
static pid_t holder;

static void register_missing(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	size = getpagesize();
	missing = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	range.range.start = (uintptr_t)missing;
	range.range.len = (uint64_t)size;
	if (missing == MAP_FAILED || faults < 0 || ioctl(faults, UFFDIO_API, &api) || ioctl(faults, UFFDIO_REGISTER, &range))
		die("userfaultfd");
}

static void list_interfaces(char *buffer)
{
	struct ifconf list = { .ifc_len = 256 };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	list.ifc_buf = buffer;
	if (fd < 0 || ioctl(fd, SIOCGIFCONF, &list))
		die("SIOCGIFCONF");
	close(fd);
}

static void *hold(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "holder");
	__atomic_store_n(&holder, gettid(), __ATOMIC_RELEASE);
	if (holder_call == SYS_ioctl)
		list_interfaces(missing);
	else if (syscall(SYS_getdents64, dir, missing, size) < 0)
		die("getdents64");
	return NULL;
}

/* Whether it sleeps then; false: it has ended. */
static bool await_sleep(long call, pid_t tid)
{
	siginfo_t ended = { .si_pid = 0 };

	while (!is_asleep_in(call, tid)) {
		if (!waitid(P_PID, (id_t)tid, &ended, WEXITED | WNOHANG | WNOWAIT) && ended.si_pid)
			return false;
		poll(NULL, 0, 1);
	}
	return true;
}

/*
 * Starts a process that does it, and returns once that waits, in that system call.  Whether it does: on 5.10 a reader that spins for a
 * moment can get the lock before a writer that sleeps for it (rwsem_try_read_lock_unqueued()).
 */
static bool start(long call, void (*act)(void))
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		prctl(PR_SET_NAME, "waiter");
		act();
		_exit(0);
	}
	return await_sleep(call, pid);
}

static void want_rtnl(void)
{
	char buffer[256];

	list_interfaces(buffer);
}

static void want_write(void)
{
	if (mkdirat(dir, "made", 0700))
		die("mkdirat");
}

static void want_read(void)
{
	struct stat stat;

	if (!fstatat(dir, "absent", &stat, 0) || errno != ENOENT)
		die("fstatat");
}

static void wait_for_holder(const char *how, int count)
{
	bool is_dir = !strcmp(how, "dir"), waits;
	uint64_t begins[MOST + 1], waiting[MOST + 1], least = 0, most = 0, begin, taken, held, released, over;
	int started = 0, first = is_dir ? 1 : 0;
	struct uffdio_zeropage page = { .mode = 0 };
	pthread_t thread;
	pid_t pid;

	register_missing();
	begin = clock_ns();
	holder_call = is_dir ? SYS_getdents64 : SYS_ioctl;
	if (pthread_create(&thread, NULL, hold, NULL))
		die("pthread_create");
	while (!(pid = __atomic_load_n(&holder, __ATOMIC_ACQUIRE)))
		poll(NULL, 0, 1);
	await_sleep(holder_call, pid);
	taken = clock_ns();
	for (; started < count + first; started++) {
		begins[started] = clock_ns();
		if (started < first)
			waits = start(SYS_mkdirat, want_write);
		else
			waits = start(is_dir ? SYS_newfstatat : SYS_ioctl, is_dir ? want_read : want_rtnl);
		waiting[started] = waits ? clock_ns() : 0;
	}
	poll(NULL, 0, HOLD_MS);
	held = clock_ns();
	page.range.start = (uintptr_t)missing;
	page.range.len = (uint64_t)size;
	if (ioctl(faults, UFFDIO_ZEROPAGE, &page))
		die("UFFDIO_ZEROPAGE");
	pthread_join(thread, NULL);
	released = clock_ns();
	while (wait(NULL) > 0)
		;
	over = clock_ns();
	if (is_dir)
		say("write", 1, held - waiting[0], over - begins[0]);
	for (int i = first; i < started; i++) {
		least += waiting[i] ? held - waiting[i] : 0;
		most += over - begins[i];
	}
	say(is_dir ? "read" : how, count, least, most);
	say("held", 1, held - taken, released - begin);
	say("rest", started, 0, over - held);
}

int main(int argc, char **argv)
{
	char path[] = "/tmp/kernel_locks.XXXXXX";
	int count = argc > 2 ? atoi(argv[2]) : 0;

	if (count < 1 || count > MOST) {
		fprintf(stderr, "usage: kernel_locks pty|rtnl|dir COUNT\n");
		return 2;
	}
	if (!strcmp(argv[1], "pty")) {
		wait_for_pty(count);
		return 0;
	}
	if (!mkdtemp(path) || (dir = open(path, O_RDONLY | O_DIRECTORY)) < 0)
		die(path);
	wait_for_holder(argv[1], count);
	unlinkat(dir, "made", AT_REMOVEDIR);
	unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
	return 0;
}
