/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A task's file descriptors, and the process that a pidfd stands for.  Include it after vmlinux.h.  It takes the kernel's BTF.
 */
#ifndef PROBELIGHT_PIDFD_BPF_H
#define PROBELIGHT_PIDFD_BPF_H

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "files.bpf.h"

/* include/uapi/linux/magic.h */
#define PIDFD_FS_MAGIC 0x50494446	/* PID_FS_MAGIC */
#define PIDFD_PROC_MAGIC 0x9fa0		/* PROC_SUPER_MAGIC */

/* include/uapi/linux/pidfd.h, since 6.15: no descriptors, but the caller itself */
#define PIDFD_SELF_THREAD (-10000)
#define PIDFD_SELF_PROCESS (-10001)

/* What is read of the kernel's structs (task.bpf.h says why not these themselves). */
struct super_block___part {
	unsigned long s_magic;
} __attribute__((preserve_access_index));

struct inode___part {
	struct super_block___part *i_sb;
	void *i_private;
} __attribute__((preserve_access_index));

struct proc_inode___part {
	struct pid___part *pid;
	struct inode___part vfs_inode;
} __attribute__((preserve_access_index));

/*
 * The process (or thread, since 6.9: PIDFD_THREAD) that a descriptor of the current task stands for, as the rows' PID numbers
 * it; 0 where it is none.  Only for a descriptor that the kernel has taken for a pidfd (no -EBADF): of another file the answer
 * means nothing.  Up to 6.8 the process is the file's private data, then its inode's (pidfs, cb12fd8e0dab).  The directory
 * /proc/PID is a pidfd as well (tgid_pidfd_to_pid() in fs/proc/base.c).  Read without the table's lock, as in files.bpf.h.
 */
static __always_inline u32 pidfd_find(int fd)
{
	struct file___part *file;
	struct inode___part *inode;
	unsigned long magic;

	if (fd == PIDFD_SELF_THREAD || fd == PIDFD_SELF_PROCESS)
		return fd == PIDFD_SELF_THREAD ? (u32)task_pid_tgid() : task_pid_tgid() >> 32;
	file = files_get(fd);
	if (!file)
		return 0;
	inode = BPF_CORE_READ(file, f_inode);
	magic = BPF_CORE_READ(inode, i_sb, s_magic);
	if (magic == PIDFD_FS_MAGIC)
		return pid_number(BPF_CORE_READ(inode, i_private));
	if (magic == PIDFD_PROC_MAGIC)
		return pid_number(BPF_CORE_READ(container_of(inode, struct proc_inode___part, vfs_inode), pid));
	return pid_number(BPF_CORE_READ(file, private_data));
}

/*
 * The same as a global function: the verifier looks at it once, and not once for each state that it is called in.  killsnoop's
 * load takes 4.6 M instructions instead of 7.1 M (6.1).
 */
__noinline u32 pidfd_process(int fd)
{
	return pidfd_find(fd);
}

/*
 * The same as a static one, which a program that runs without BTF can leave out (layout__leave_out()): before 6.8 the verifier
 * looks at global functions that nobody calls, too.
 */
static __noinline u32 pidfd_process_static(int fd)
{
	return pidfd_find(fd);
}

#endif
