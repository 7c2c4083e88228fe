/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a tool may do is given up once everything is attached: an attacker who takes over the loop gets no capability,
 * no file to write to, and few system calls.
 */
#ifndef PROBELIGHT_PRIVILEGES_H
#define PROBELIGHT_PRIVILEGES_H

/* What a tool keeps. */
enum privileges {
	PRIVILEGES_NONE = 0,
	/*
	 * CAP_BPF, or what stands for it, CAP_SYS_ADMIN: before 5.19 (c8644cd0efe7) bpf(2) asks for it whatever it is
	 * asked to do where unprivileged_bpf_disabled is set, also to read and write maps that are open.
	 */
	PRIVILEGES_BPF = 1,
	/*
	 * Reading what other processes execute: /proc/PID/maps asks for CAP_SYS_PTRACE, the files in
	 * /proc/PID/map_files for CAP_CHECKPOINT_RESTORE (since 5.9, 12886f8ab10c), files that others may not read for
	 * CAP_DAC_READ_SEARCH. Where one of them is missing, CAP_SYS_ADMIN does not stand for it. pread(2) and
	 * readlinkat(2) are allowed, too.
	 */
	PRIVILEGES_PROCESSES = 2,
	/*
	 * Opening files of tracefs, and the switch of function hooks, for writing: for tools whose end writes there.
	 * Where the kernel has Landlock (5.13), these are all that can be opened for writing; before, and together with
	 * PRIVILEGES_PROCESSES, all of the user's.
	 */
	PRIVILEGES_TRACEFS = 4,
	/* The paths of cgroups by their ids: open_by_handle_at(2) asks for CAP_DAC_READ_SEARCH. */
	PRIVILEGES_CGROUPS = 8,
	/*
	 * Attaching programs that are loaded to more functions of programs: CAP_PERFMON, and before Linux 6.6 CAP_SYS_ADMIN
	 * (perf_uprobe_event_init()) and perf_event_open(2).
	 */
	PRIVILEGES_PROBES = 16,
	/* The three that attaching to files takes which come under a name later (--follow). */
	PRIVILEGES_ATTACH = PRIVILEGES_BPF | PRIVILEGES_PROCESSES | PRIVILEGES_PROBES,
};

/*
 * Before privileges__drop(), for a file that is replaced while the tool runs (replaced_file.h): files can then be made in this directory
 * (an open descriptor, which stays open) with PRIVILEGES_FILES_FLAGS alone, renamed and removed.  Where the kernel has Landlock, and the
 * tool does not keep PRIVILEGES_PROCESSES, in no other directory.
 */
#define PRIVILEGES_FILES_FLAGS (O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC)
void privileges__allow_files_in(int directory);

/*
 * Drops all capabilities of the calling thread but those that are kept (capset(2)), sets no_new_privs (prctl(2)), and
 * allows only the system calls that a loop, its end and the C library make (seccomp(2)); others fail with EPERM.
 * Threads that are made later inherit it.  For when everything is open and attached.
 *
 * The user stays root, so the files of root are still its own.  Therefore no file can be opened for writing, made or
 * shortened any more: openat(2) is allowed with O_RDONLY or O_PATH alone, but for PRIVILEGES_TRACEFS. What must be
 * written later is opened before; what must be removed later is a cleaner's task (lib/probe/cleaner.h).  What is left:
 * reading the user's files, and whatever open descriptors can do.
 *
 * The cleaner takes no more jobs then, and is started again if somebody has killed it (cleaner__seal()).
 *
 * kept: of enum privileges.  0, or -errno of the first two or of cleaner__seal().  A kernel without seccomp filters
 * (CONFIG_SECCOMP_FILTER) is no error.
 */
int privileges__drop(unsigned int kept);

#endif
