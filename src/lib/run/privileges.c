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
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

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
	SYS_read, SYS_writev, SYS_openat, SYS_close, SYS_fstat, SYS_newfstatat, SYS_lseek, SYS_fcntl,
	/* cgroups' names */
	SYS_getdents64, SYS_fstatfs, SYS_open_by_handle_at, SYS_readlinkat,
	/* waiting */
	SYS_clock_nanosleep, SYS_nanosleep, SYS_setitimer, SYS_restart_syscall,
	/* what the vDSO asks the kernel for: the time with any clock source but the TSC or a hypervisor's page, the CPU without RDPID or LSL */
	SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday, SYS_getcpu,
#ifdef SYS_time
	SYS_time,
#endif
	/*
	 * What C libraries ask the kernel for by themselves: the CPUs (malloc's arenas), the memory (qsort), random numbers (malloc), the
	 * thread and its end, the way out of abort(3).  None of them opens anything or reaches another process; so tgkill(2) is absent.
	 */
	SYS_sched_getaffinity, SYS_sched_yield, SYS_sysinfo, SYS_getrandom, SYS_gettid, SYS_set_tid_address, SYS_rt_sigaction, SYS_readv,
	/* the start record */
	SYS_uname,
	/* memory */
	SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise,
	/* the end: what was missed, the switch of function hooks (flock), one thread for each link, the keeper's status */
	SYS_bpf, SYS_ioctl, SYS_flock, SYS_clone, SYS_clone3, SYS_set_robust_list, SYS_rseq, SYS_futex, SYS_getpid,
	SYS_membarrier, SYS_wait4, SYS_exit, SYS_exit_group,
#ifdef __SANITIZE_ADDRESS__
	/* AddressSanitizer in a new thread, and when it tells of something (tests/host/sanitized) */
	SYS_prctl, SYS_sigaltstack, SYS_readlink, SYS_getrlimit, SYS_prlimit64,
#endif
};
#define ALLOWED_COUNT (sizeof(allowed) / sizeof(*allowed))
#define READ_CHECK_SIZE 5	/* instructions */

/* Of a system call's third argument, the lower half. */
#define FLAGS_OFFSET (offsetof(struct seccomp_data, args[2]) + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0))

/*
 * By hand: with libseccomp it takes 0.72 M instructions (6.1), and each static tool is 107 KB larger; here 0.12 M.  The difference
 * is the cache that the kernel makes of a filter's constant answers, for every system call number there is
 * (seccomp_cache_prepare() in kernel/seccomp.c, since 5.11).  It gives up at an instruction that it does not know, and the few
 * calls of the loop do without it.
 */
static void allow_only_the_loop(bool only_reads)
{
	struct sock_filter filter[ALLOWED_COUNT + 12];
	struct sock_fprog program = { .filter = filter };
	unsigned short at = 0;

	/* X = A, which nobody reads: what the cache does not know */
	filter[at++] = (struct sock_filter)BPF_STMT(BPF_MISC | BPF_TAX, 0);
#ifdef AUDIT_ARCH_OWN
	/* the numbers are those of one ABI: a 32-bit call is none of them */
	filter[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
	filter[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_OWN, 0,
						    (unsigned char)(ALLOWED_COUNT + 1 + (only_reads ? READ_CHECK_SIZE : 0)));
#endif
	filter[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	/* openat(2)'s flags are the third argument; their upper half says nothing, the kernel takes an int */
	if (only_reads) {
		filter[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pread64, READ_CHECK_SIZE + ALLOWED_COUNT, 0);
		filter[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3);
		filter[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FLAGS_OFFSET);
		filter[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC,
							    ALLOWED_COUNT + 1, 0);
		filter[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	}
	for (size_t i = 0; i < ALLOWED_COUNT; i++)
		filter[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[i],
							    (unsigned char)(ALLOWED_COUNT - i), 0);
	filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program.len = at;
	/* SPEC_ALLOW: before 5.16 a filter would switch speculation off for the tool, which makes it slower (2f46993d83ff) */
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) && errno == EINVAL)
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

/* Of the capabilities of the thread, those that mask has; in words of 32 as capset(2) takes them. */
static int keep_only(const uint32_t mask[2])
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
	if (data[CAP_TO_INDEX(CAP_BPF)].permitted & CAP_TO_MASK(CAP_BPF))
		data[CAP_TO_INDEX(CAP_SYS_ADMIN)].permitted &= ~(uint32_t)CAP_TO_MASK(CAP_SYS_ADMIN);
	for (int i = 0; i < 2; i++)
		data[i].effective = data[i].permitted;
	/* ambient capabilities go with the permitted ones (capabilities(7)) */
	return syscall(SYS_capset, &header, data) ? -errno : 0;
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
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	err = keep_only(mask);
	if (!err)
		allow_only_the_loop(kept & PRIVILEGES_PROCESSES);
	return err;
}
