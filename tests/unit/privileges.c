/* SPDX-License-Identifier: BSD-2-Clause */
/* What is left after privileges were dropped, in a child for each way. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "lib/kernel/tracefs.h"
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
 * Whatever a C library may call without being asked: on this machine the vDSO answers, on others the kernel does.  The
 * sanitizer allows some more, so only what is absent would be seen here.
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

/* Files of root that would make an attacker its master; none of them may be opened for writing.  Nothing is written. */
static void look_at_root(int refused)
{
	static const char *const files[] = {
		"/etc/shadow", "/etc/passwd", "/proc/sys/kernel/core_pattern", "/proc/self/mem",
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		int got = try_open(files[i], O_WRONLY);

		if (got != ENOENT && got != EROFS)
			check_report(got == refused, __FILE__, __LINE__, "%s: %s", files[i], strerror(got));
	}
	CHECK_INT(try_open("/etc/cron.d/probelight-unit-test", O_WRONLY | O_CREAT | O_EXCL), refused);
	CHECK_INT(try_open("/tmp", O_RDWR | O_TMPFILE), refused);
}

/*
 * The calls that open, make, change or rename a file without openat(2), or type into a terminal, or reach another
 * process.
 */
static void look_at_others(const char *name, int fd)
{
	struct { uint64_t flags, mode, resolve; } how = { .flags = O_WRONLY };

#define REFUSED(call) do { errno = 0; CHECK((call) == -1 && errno == EPERM); } while (0)
	REFUSED(syscall(SYS_openat2, AT_FDCWD, name, &how, sizeof(how)));
	REFUSED(unlink(name));
	REFUSED(rename(name, "/tmp/other"));
	REFUSED(link(name, "/tmp/other"));
	REFUSED(symlink(name, "/tmp/other"));
	REFUSED(mkdir("/tmp/other", 0700));
	REFUSED(mknod("/tmp/other", S_IFREG | 0600, 0));
	REFUSED(truncate(name, 0));
	REFUSED(ftruncate(fd, 0));
	REFUSED(chmod(name, 0777));
	REFUSED(fchmod(fd, 0777));
	REFUSED(chown(name, 1, 1));
	REFUSED(mount("none", "/tmp", "tmpfs", 0, ""));
	REFUSED(socket(AF_UNIX, SOCK_STREAM, 0));
	REFUSED(execl("/bin/true", "true", NULL));
	REFUSED(kill(getppid(), 0));
	REFUSED(ptrace(PTRACE_ATTACH, getppid(), 0, 0));
	REFUSED(syscall(SYS_process_vm_writev, getppid(), NULL, 0, NULL, 0, 0));
	REFUSED(ioctl(fd, TIOCSTI, "x"));
	REFUSED(ioctl(fd, TIOCLINUX, "\3"));
	/* any other is for the file to refuse */
	errno = 0;
	CHECK(ioctl(fd, TCGETS, &how) == -1 && errno == ENOTTY);
}

#define LANDLOCK_CREATE 444	/* landlock_create_ruleset(2) */

/* Landlock refuses what it does not allow with EACCES. */
static bool has_landlock(void)
{
	return syscall(LANDLOCK_CREATE, NULL, 0, 1) > 0;
}

static int look(unsigned int kept, const char *name, int fd, bool landlock)
{
	int refused = !(kept & PRIVILEGES_TRACEFS) ? EPERM : landlock && !(kept & PRIVILEGES_PROCESSES) ? EACCES : 0;
	char byte;

	CHECK_INT(privileges__drop(kept), 0);
	CHECK_INT(try_open(name, O_RDONLY | O_CLOEXEC), 0);
	CHECK_INT(try_open(name, O_PATH | O_NOFOLLOW | O_CLOEXEC), 0);
	CHECK_INT(try_open(name, O_WRONLY), refused);
	CHECK_INT(try_open(name, O_RDWR), refused);
	CHECK_INT(try_open(name, O_WRONLY | O_APPEND), refused);
	CHECK_INT(try_open(name, O_RDONLY | O_CREAT), kept & PRIVILEGES_TRACEFS ? 0 : EPERM);
	/* what its owner may open stays open to those that keep everything */
	if (refused && !geteuid())
		look_at_root(refused);
	errno = 0;
	CHECK_INT(pread(fd, &byte, 1, 0), kept & PRIVILEGES_PROCESSES ? 0 : -1);
	CHECK_INT(read(fd, &byte, 1), 0);
	look_at_library();
	look_at_others(name, fd);
	if (kept & PRIVILEGES_TRACEFS) {
		char inside[64];

		/* the tree that stands for tracefs here */
		snprintf(inside, sizeof(inside), "%s/tracing_on", tracefs__mount_point());
		CHECK_INT(try_open(inside, O_WRONLY | O_TRUNC), 0);
		CHECK_INT(try_open(inside, O_WRONLY | O_APPEND), 0);
		if (landlock && !(kept & PRIVILEGES_PROCESSES)) {
			snprintf(inside, sizeof(inside), "%s/new", tracefs__mount_point());
			CHECK_INT(try_open(inside, O_WRONLY | O_CREAT), EACCES);
		}
	}
	return check_done();
}

int main(void)
{
	char name[] = "/tmp/privileges.XXXXXX", folder[] = "/tmp/tracefs.XXXXXX", inside[64];
	int fd = mkstemp(name), made;

	CHECK(fd >= 0 && mkdtemp(folder));
	snprintf(inside, sizeof(inside), "%s/tracing_on", folder);
	made = open(inside, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	CHECK(made >= 0);
	close(made);
	tracefs__use(folder);
	/* every set of them */
	for (unsigned int kept = 0; kept < PRIVILEGES_TRACEFS << 1; kept++) {
		pid_t child = fork();
		int status;

		/* the sanitizer's look for leaks at the end is not among the allowed calls */
		if (!child)
			_exit(look(kept, name, fd, has_landlock()));
		CHECK(waitpid(child, &status, 0) == child);
		CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
	}
	close(fd);
	unlink(name);
	unlink(inside);
	rmdir(folder);
	return check_done();
}
