/* SPDX-License-Identifier: BSD-2-Clause */
/* What is left after privileges were dropped, in a child for each way. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "lib/run/privileges.h"

/* Whether a file can be opened with these flags: its errno, or 0. */
static int try_open(const char *path, int flags)
{
	int fd = open(path, flags, 0600);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

/*
 * Whatever a C library may call without being asked: on this machine the vDSO answers, on others the kernel does.  The sanitizer allows
 * some more, so only what is absent would be seen here.
 */
static void look_at_library(void)
{
	static const struct { const char *name; long number; } calls[] = {
		{ "clock_gettime", SYS_clock_gettime }, { "clock_getres", SYS_clock_getres }, { "gettimeofday", SYS_gettimeofday },
#ifdef SYS_time
		{ "time", SYS_time },
#endif
		{ "clock_nanosleep", SYS_clock_nanosleep }, { "nanosleep", SYS_nanosleep }, { "getcpu", SYS_getcpu },
		{ "sched_getaffinity", SYS_sched_getaffinity }, { "sched_yield", SYS_sched_yield }, { "sysinfo", SYS_sysinfo },
		{ "getrandom", SYS_getrandom }, { "getpid", SYS_getpid }, { "gettid", SYS_gettid }, { "set_tid_address", SYS_set_tid_address },
		{ "set_robust_list", SYS_set_robust_list }, { "rt_sigaction", SYS_rt_sigaction }, { "rt_sigprocmask", SYS_rt_sigprocmask },
		{ "restart_syscall", SYS_restart_syscall }, { "futex", SYS_futex }, { "membarrier", SYS_membarrier }, { "brk", SYS_brk },
		{ "mmap", SYS_mmap }, { "munmap", SYS_munmap }, { "mremap", SYS_mremap }, { "mprotect", SYS_mprotect },
		{ "madvise", SYS_madvise }, { "readv", SYS_readv }, { "writev", SYS_writev }, { "lseek", SYS_lseek }, { "fstat", SYS_fstat },
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		/* arguments that are no good to any of them, so that each one that is made fails or does nothing */
		errno = 0;
		if (syscall(calls[i].number, -1, 0, 0, 0, 0, 0) == -1)
			check_report(errno != EPERM, __FILE__, __LINE__, "%s is refused", calls[i].name);
	}
}

static int look(unsigned int kept, const char *name, int fd)
{
	char byte;
	int writes = kept & PRIVILEGES_PROCESSES ? EPERM : 0;

	CHECK_INT(privileges__drop(kept), 0);
	CHECK_INT(try_open(name, O_RDONLY | O_CLOEXEC), 0);
	CHECK_INT(try_open(name, O_PATH | O_NOFOLLOW | O_CLOEXEC), 0);
	CHECK_INT(try_open(name, O_WRONLY), writes);
	CHECK_INT(try_open(name, O_RDWR), writes);
	CHECK_INT(try_open(name, O_RDONLY | O_TRUNC), writes);
	CHECK_INT(try_open(name, O_RDONLY | O_CREAT), writes);
	errno = 0;
	CHECK_INT(pread(fd, &byte, 1, 0), writes ? 0 : -1);
	CHECK_INT(read(fd, &byte, 1), 0);
	look_at_library();
	/* not among the calls of a loop */
	errno = 0;
	CHECK(unlink(name) && errno == EPERM);
	return check_done();
}

int main(void)
{
	static const unsigned int ways[] = { PRIVILEGES_NONE, PRIVILEGES_BPF, PRIVILEGES_PROCESSES,
					     PRIVILEGES_BPF | PRIVILEGES_PROCESSES };
	char name[] = "/tmp/privileges.XXXXXX";

	int fd = mkstemp(name);

	CHECK(fd >= 0);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		pid_t child = fork();
		int status;

		/* the sanitizer's look for leaks at the end is not among the allowed calls */
		if (!child)
			_exit(look(ways[i], name, fd));
		CHECK(waitpid(child, &status, 0) == child);
		CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
	}
	close(fd);
	unlink(name);
	return check_done();
}
