/* SPDX-License-Identifier: BSD-2-Clause */
#include "privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/kernel/kernel.h"
#include "lib/kernel/switches.h"
#include "lib/kernel/tracefs.h"
#include "lib/probe/cleaner.h"

#if defined(__x86_64__)
#define AUDIT_ARCH_OWN AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define AUDIT_ARCH_OWN AUDIT_ARCH_AARCH64
#endif

/* What the loop calls all the time comes first: the filter compares one after the other. */
static const unsigned int allowed[] = {
	SYS_write, SYS_ppoll, SYS_rt_sigprocmask, SYS_rt_sigreturn,
#ifdef SYS_poll
	SYS_poll,
#endif
	/* the ring buffer, rows, files that a row's text comes from */
	SYS_read, SYS_writev, SYS_close, SYS_fstat, SYS_newfstatat, SYS_lseek, SYS_fcntl,
	/* cgroups' names */
	SYS_getdents64, SYS_fstatfs,
	/* waiting */
	SYS_clock_nanosleep, SYS_nanosleep, SYS_setitimer, SYS_restart_syscall,
	/*
	 * what the vDSO asks the kernel for: the time with any clock source but the TSC or a hypervisor's page, the CPU
	 * without RDPID or LSL
	 */
	SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday, SYS_getcpu,
#ifdef SYS_time
	SYS_time,
#endif
	/*
	 * What C libraries ask the kernel for by themselves: the CPUs (malloc's arenas), the memory (qsort), random
	 * numbers (malloc), the thread and its end, the way out of abort(3).  None of them opens anything or reaches
	 * another process; so tgkill(2) is absent.
	 */
	SYS_sched_getaffinity, SYS_sched_yield, SYS_sysinfo, SYS_getrandom, SYS_gettid, SYS_set_tid_address, SYS_rt_sigaction, SYS_readv,
#ifdef SYS_stat
	SYS_stat, SYS_lstat,
#endif
	/* the start record */
	SYS_uname,
	/* memory */
	SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise,
	/*
	 * the end: what was missed, the switch of function hooks (flock, inotify), one thread for each link, the cleaner's status and
	 * answers
	 */
	SYS_recvmsg, SYS_bpf, SYS_flock, SYS_inotify_init1, SYS_inotify_add_watch, SYS_clone, SYS_clone3, SYS_set_robust_list,
	SYS_rseq, SYS_futex, SYS_getpid, SYS_geteuid, SYS_membarrier, SYS_wait4, SYS_exit, SYS_exit_group,
#ifdef __SANITIZE_ADDRESS__
	/* AddressSanitizer in a new thread, and when it tells of something (tests/host/sanitized) */
	SYS_prctl, SYS_sigaltstack, SYS_readlink, SYS_getrlimit, SYS_prlimit64,
#endif
};
/* Reading what other processes execute, and following links below their root directories. */
static const unsigned int allowed_processes[] = { SYS_pread64, SYS_readlinkat };

/* Attaching programs to more functions of programs. */
static const unsigned int allowed_probes[] = { SYS_perf_event_open };

/* Replacing a file: the name that it gets and the one that it loses, and the rights to read it. */
static const unsigned int allowed_files[] = { SYS_renameat, SYS_unlinkat, SYS_fchmod };

/* A directory in which files are replaced; -1: none. */
static int files_directory = -1;

#define COUNT(list) (sizeof(list) / sizeof(*(list)))
#define FILTER_MAX (COUNT(allowed) + COUNT(allowed_processes) + COUNT(allowed_probes) + COUNT(allowed_files) + 50)

/* The lower half of an argument of a system call.  The upper half says nothing where the kernel takes an int. */
#define ARGUMENT(number) (offsetof(struct seccomp_data, args[number]) + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0))

#define REFUSED (SECCOMP_RET_ERRNO | EPERM)

struct filter {
	struct sock_filter code[FILTER_MAX];
	unsigned short count;
};

static void emit(struct filter *filter, unsigned short code, uint32_t value, unsigned char skip_if, unsigned char skip_else)
{
	filter->code[filter->count++] = (struct sock_filter)BPF_JUMP(code, value, skip_if, skip_else);
}

static void load(struct filter *filter, size_t offset)
{
	emit(filter, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void answer(struct filter *filter, uint32_t action)
{
	emit(filter, BPF_RET | BPF_K, action, 0, 0);
}

/* Allows these calls; the number of the call is loaded, before and after. */
static void allow(struct filter *filter, const unsigned int *calls, size_t count)
{
	for (size_t i = 0; i < count; i++)
		emit(filter, BPF_JMP | BPF_JEQ | BPF_K, calls[i], (unsigned char)(count - i), 0);
	emit(filter, BPF_JMP | BPF_JA, 1, 0, 0);
	answer(filter, SECCOMP_RET_ALLOW);
}

/* Allows a call that opens a file, unless its flags make a file, shorten it or open it for writing. */
static void allow_reading(struct filter *filter, unsigned int call, size_t flags)
{
	emit(filter, BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4);
	load(filter, flags);
	emit(filter, BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 0, 1);
	answer(filter, REFUSED);
	answer(filter, SECCOMP_RET_ALLOW);
}

/* Allows openat(2) of a new file in the directory. */
static void allow_making(struct filter *filter)
{
	emit(filter, BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 6);
	load(filter, ARGUMENT(0));
	emit(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)files_directory, 0, 3);
	load(filter, ARGUMENT(2));
	emit(filter, BPF_JMP | BPF_JEQ | BPF_K, PRIVILEGES_FILES_FLAGS, 0, 1);
	answer(filter, SECCOMP_RET_ALLOW);
	load(filter, offsetof(struct seccomp_data, nr));
}

/* Allows a call whose flags are O_PATH | O_CLOEXEC: what it gives can be named, and not be read or written. */
static void allow_naming(struct filter *filter, unsigned int call, size_t flags)
{
	emit(filter, BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4);
	load(filter, flags);
	emit(filter, BPF_JMP | BPF_JEQ | BPF_K, O_PATH | O_CLOEXEC, 1, 0);
	answer(filter, REFUSED);
	answer(filter, SECCOMP_RET_ALLOW);
}

/* Allows ioctl(2), but not to type into a terminal: the tool's is often that of a shell of root. */
static void allow_ioctl(struct filter *filter)
{
	emit(filter, BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 5);
	load(filter, ARGUMENT(1));
	emit(filter, BPF_JMP | BPF_JEQ | BPF_K, TIOCSTI, 2, 0);
	emit(filter, BPF_JMP | BPF_JEQ | BPF_K, TIOCLINUX, 1, 0);
	answer(filter, SECCOMP_RET_ALLOW);
	answer(filter, REFUSED);
}

/*
 * By hand: with libseccomp it takes 0.72 M instructions (6.1), and each static tool is 107 KB larger; here 0.12 M. The
 * difference is the cache that the kernel makes of a filter's constant answers, for every system call number there is
 * (seccomp_cache_prepare() in kernel/seccomp.c, since 5.11).  It gives up at an instruction that it does not know, and
 * the few calls of the loop do without it.
 */
static void allow_only_the_loop(unsigned int kept)
{
	static const unsigned int openat_call = SYS_openat, readlinkat_call = SYS_readlinkat;
	struct filter filter = { .count = 0 };
	struct sock_fprog program = { .filter = filter.code };

	/* X = A, which nobody reads: what the cache does not know */
	emit(&filter, BPF_MISC | BPF_TAX, 0, 0, 0);
#ifdef AUDIT_ARCH_OWN
	/* the numbers are those of one ABI: a 32-bit call is none of them */
	load(&filter, offsetof(struct seccomp_data, arch));
	emit(&filter, BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_OWN, 1, 0);
	answer(&filter, REFUSED);
#endif
	load(&filter, offsetof(struct seccomp_data, nr));
	allow(&filter, allowed, COUNT(allowed));
	if (kept & PRIVILEGES_PROCESSES)
		allow(&filter, allowed_processes, COUNT(allowed_processes));
	if (kept & PRIVILEGES_PROBES)
		allow(&filter, allowed_probes, COUNT(allowed_probes));
	if (files_directory >= 0) {
		allow(&filter, allowed_files, COUNT(allowed_files));
		allow_making(&filter);
	}
	if (kept & PRIVILEGES_TRACEFS)
		allow(&filter, &openat_call, 1);
	else
		allow_reading(&filter, SYS_openat, ARGUMENT(2));
	if (kept & PRIVILEGES_CGROUPS) {
		allow(&filter, &readlinkat_call, 1);
		allow_naming(&filter, SYS_open_by_handle_at, ARGUMENT(2));
	}
#ifdef SYS_open
	allow_reading(&filter, SYS_open, ARGUMENT(1));
#endif
	allow_ioctl(&filter);
	answer(&filter, REFUSED);
	program.len = filter.count;
	/*
	 * SPEC_ALLOW: before 5.16 a filter would switch speculation off for the tool, which makes it slower
	 * (2f46993d83ff)
	 */
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) && errno == EINVAL)
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

/*
 * Landlock (landlock(7), since 5.13), by the numbers of the kernel's interface: Debian 11 has no header for it.  Rights
 * that a kernel's version of it does not know are left out.
 */
#define LANDLOCK_CREATE 444
#define LANDLOCK_ADD_RULE 445
#define LANDLOCK_RESTRICT_SELF 446
#define LANDLOCK_VERSION_FLAG 1
#define LANDLOCK_PATH_BENEATH 1
#define LANDLOCK_WRITE_FILE (1u << 1)
#define LANDLOCK_REMOVE_FILE (1u << 5)
#define LANDLOCK_MAKE_REG (1u << 8)
#define LANDLOCK_REMOVE_AND_MAKE (0x1ff0u)	/* directories and files of all kinds */
#define LANDLOCK_TRUNCATE (1u << 14)		/* since version 3 */

struct landlock_rule {
	uint64_t rights;
	int32_t parent;
} __attribute__((packed));

static void allow_writing_below(int ruleset, const char *path, uint64_t rights)
{
	struct landlock_rule rule = { .rights = rights, .parent = open(path, O_PATH | O_CLOEXEC) };

	if (rule.parent < 0)
		return;
	syscall(LANDLOCK_ADD_RULE, ruleset, LANDLOCK_PATH_BENEATH, &rule, 0);
	close(rule.parent);
}

static void allow_below(int ruleset, int directory, uint64_t rights)
{
	struct landlock_rule rule = { .rights = rights, .parent = directory };

	syscall(LANDLOCK_ADD_RULE, ruleset, LANDLOCK_PATH_BENEATH, &rule, 0);
}

/*
 * No file can be opened for writing, made or removed but those of tracefs and the switch of function hooks, where with_tracefs, and in the
 * directory of a replaced file.  Landlock also keeps a process from looking into others that it could trace, so this does not go together
 * with PRIVILEGES_PROCESSES.
 */
static void write_there_only(bool with_tracefs)
{
	long version = syscall(LANDLOCK_CREATE, NULL, 0, LANDLOCK_VERSION_FLAG);
	uint64_t write = LANDLOCK_WRITE_FILE | (version >= 3 ? LANDLOCK_TRUNCATE : 0);
	uint64_t handled = write | LANDLOCK_REMOVE_AND_MAKE;
	const char *mount_point = with_tracefs ? tracefs__mount_point() : NULL;
	int ruleset;

	if (version < 1)
		return;
	ruleset = (int)syscall(LANDLOCK_CREATE, &handled, sizeof(handled), 0);
	if (ruleset < 0)
		return;
	if (with_tracefs && mount_point)
		allow_writing_below(ruleset, mount_point, write);
	if (with_tracefs)
		allow_writing_below(ruleset, SWITCHES_FTRACE, write);
	if (files_directory >= 0)
		allow_below(ruleset, files_directory, LANDLOCK_WRITE_FILE | LANDLOCK_REMOVE_FILE | LANDLOCK_MAKE_REG);
	syscall(LANDLOCK_RESTRICT_SELF, ruleset, 0);
	close(ruleset);
}

/* Of the capabilities of the thread, those that mask has; in words of 32 as capset(2) takes them.  with_admin: CAP_SYS_ADMIN for itself. */
static int keep_only(const uint32_t mask[2], bool with_admin)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};

	if (syscall(SYS_capget, &header, data))
		return -errno;
	for (int i = 0; i < 2; i++) {
		data[i].permitted &= mask[i];
		data[i].inheritable = 0;
	}
	/* CAP_SYS_ADMIN only where it stands for CAP_BPF */
	if (!with_admin && data[CAP_TO_INDEX(CAP_BPF)].permitted & CAP_TO_MASK(CAP_BPF))
		data[CAP_TO_INDEX(CAP_SYS_ADMIN)].permitted &= ~(uint32_t)CAP_TO_MASK(CAP_SYS_ADMIN);
	for (int i = 0; i < 2; i++)
		data[i].effective = data[i].permitted;
	/* ambient capabilities go with the permitted ones (capabilities(7)) */
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

void privileges__allow_files_in(int directory)
{
	files_directory = directory;
}

int privileges__drop(unsigned int kept)
{
	uint32_t mask[2] = { 0, 0 };
	int err;

	if (kept & PRIVILEGES_BPF) {
		mask[0] |= CAP_TO_MASK(CAP_SYS_ADMIN);
		mask[1] |= CAP_TO_MASK(CAP_BPF);
	}
	if (kept & PRIVILEGES_PROCESSES) {
		mask[0] |= CAP_TO_MASK(CAP_SYS_PTRACE) | CAP_TO_MASK(CAP_DAC_READ_SEARCH);
		mask[1] |= CAP_TO_MASK(CAP_CHECKPOINT_RESTORE);
	}
	if (kept & PRIVILEGES_CGROUPS)
		mask[0] |= CAP_TO_MASK(CAP_DAC_READ_SEARCH);
	if (kept & PRIVILEGES_PROBES) {
		mask[0] |= CAP_TO_MASK(CAP_SYS_ADMIN);
		mask[1] |= CAP_TO_MASK(CAP_BPF) | CAP_TO_MASK(CAP_PERFMON);
	}
	err = cleaner__seal();
	/* one that is stopped reads later what it was told */
	if (err && err != -ETIMEDOUT)
		return err;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	err = keep_only(mask, kept & PRIVILEGES_PROBES && kernel__version() < kernel_version(6, 6, 0));
	if (err)
		return err;
	if ((kept & PRIVILEGES_TRACEFS || files_directory >= 0) && !(kept & PRIVILEGES_PROCESSES))
		write_there_only(kept & PRIVILEGES_TRACEFS);
	allow_only_the_loop(kept);
	return 0;
}
