/* SPDX-License-Identifier: BSD-2-Clause */
/* What a tool may do is given up once everything is attached: an attacker who takes over the loop finds nothing to use. */
#ifndef PROBELIGHT_PRIVILEGES_H
#define PROBELIGHT_PRIVILEGES_H

/* What a tool keeps. */
enum privileges {
	PRIVILEGES_NONE = 0,
	/*
	 * CAP_BPF, or what stands for it, CAP_SYS_ADMIN: before 5.19 (c8644cd0efe7) bpf(2) asks for it whatever it is asked to do where
	 * unprivileged_bpf_disabled is set, also to read and write maps that are open.
	 */
	PRIVILEGES_BPF = 1,
	/*
	 * Reading what other processes execute: /proc/PID/maps asks for CAP_SYS_PTRACE, the files in /proc/PID/map_files for
	 * CAP_CHECKPOINT_RESTORE (since 5.9, 12886f8ab10c), files that others may not read for CAP_DAC_READ_SEARCH.  Where one of them
	 * is missing, CAP_SYS_ADMIN does not stand for it.  pread(2) is allowed, too.  No file can then be opened for writing, nor made: openat(2) is allowed
	 * with O_RDONLY or O_PATH alone, so that none of them can change a process' memory.
	 */
	PRIVILEGES_PROCESSES = 2,
	/* The paths of cgroups by their ids: open_by_handle_at(2) asks for CAP_DAC_READ_SEARCH. */
	PRIVILEGES_CGROUPS = 4,
};

/*
 * Drops all capabilities of the calling thread but those that are kept (capset(2)), sets no_new_privs (prctl(2)), and allows only the
 * system calls that a loop, its end and the C library make (seccomp(2)); others fail with EPERM.  Threads that are made later inherit it.
 * For when everything is open and attached.  What runs after it is limited to open descriptors, memory, and files that the
 * user may open without a capability.
 *
 * kept: of enum privileges.  0, or -errno of the first two.  A kernel without seccomp filters (CONFIG_SECCOMP_FILTER) is no error.
 */
int privileges__drop(unsigned int kept);

#endif
