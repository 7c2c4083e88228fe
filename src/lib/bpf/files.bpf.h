/* SPDX-License-Identifier: BSD-2-Clause */
/* The current task's open files.  Include it after vmlinux.h.  It takes the kernel's BTF. */
#ifndef PROBELIGHT_FILES_BPF_H
#define PROBELIGHT_FILES_BPF_H

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "task.bpf.h"

/* What is read of the kernel's structs (task.bpf.h says why not these themselves).  struct path: dir.bpf.h. */
struct vfsmount___part;
struct inode___part;

struct dentry___part {
	struct dentry___part *d_parent;
	struct qstr d_name;
} __attribute__((preserve_access_index));

struct path___part {
	struct vfsmount___part *mnt;
	struct dentry___part *dentry;
} __attribute__((preserve_access_index));

struct file___part {
	struct path___part f_path;
	struct inode___part *f_inode;
	void *private_data;
} __attribute__((preserve_access_index));

struct fdtable___part {
	unsigned int max_fds;
	struct file___part **fd;
} __attribute__((preserve_access_index));

struct files_struct___part {
	struct fdtable___part *fdt;
} __attribute__((preserve_access_index));

/*
 * The file of a descriptor of the current task; NULL where it is not open.  Read without the table's lock: a descriptor closed
 * at this very moment may give another file, or NULL.
 */
static __always_inline struct file___part *files_get(int fd)
{
	struct fdtable___part *table = BPF_CORE_READ(task_current(), files, fdt);
	struct file___part *file = NULL;

	if ((u32)fd >= BPF_CORE_READ(table, max_fds))
		return NULL;
	bpf_probe_read_kernel(&file, sizeof(file), BPF_CORE_READ(table, fd) + (u32)fd);
	return file;
}

/*
 * The last component of the path of a descriptor's file, in the kernel's memory, to be read with bpf_probe_read_kernel_str();
 * NULL where it is not open.  "" is the name of pipes and sockets.
 */
static __always_inline const char *files_name_inline(int fd)
{
	struct file___part *file = files_get(fd);

	return file ? (const char *)BPF_CORE_READ(file, f_path.dentry, d_name.name) : NULL;
}

/*
 * The same as a subprogram, for programs that also run without BTF: there layout__leave_out() takes the call out.  The verifier of 6.1
 * pays for it: it cannot trace a number back over a call, and takes all numbers for ones whose exact value matters.
 */
static __noinline __attribute__((unused)) const char *files_name(int fd)
{
	return files_name_inline(fd);
}

#endif
