/* SPDX-License-Identifier: BSD-2-Clause */
/* The folder that a task's relative paths start from.  Include it after vmlinux.h; the sizes are in dir.h. */
#ifndef PROBELIGHT_DIR_BPF_H
#define PROBELIGHT_DIR_BPF_H

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "lib/shared/dir.h"
#include "files.bpf.h"
#include "syscall.bpf.h"
#include "task.bpf.h"

/* What is read of the kernel's structs (task.bpf.h says why not these themselves). */
struct vfsmount___part {
	struct dentry___part *mnt_root;
} __attribute__((preserve_access_index));

struct mount___part {
	struct mount___part *mnt_parent;
	struct dentry___part *mnt_mountpoint;
	struct vfsmount___part mnt;
} __attribute__((preserve_access_index));

struct fs_struct___part {
	struct path___part root;
	struct path___part pwd;
} __attribute__((preserve_access_index));

/*
 * Reads the names of the folder that a relative path starts from, innermost first, up to the current task's root: each ended
 * by a 0 byte, into names, which has room for DIR_ROOM bytes; *size, 0 before, is how many bytes they take.  dfd:
 * AT_FDCWD or a descriptor, as for openat(2).  Whether that is all of them; of a descriptor that is not open there are none.
 */
static __noinline bool dir_read(char *names, u16 *size, int dfd)
{
	struct task_struct___part *task = task_current();
	struct dentry___part *dentry, *root_dentry;
	struct vfsmount___part *mnt, *root_mnt;

	if (dfd == AT_FDCWD) {
		dentry = BPF_CORE_READ(task, fs, pwd.dentry);
		mnt = BPF_CORE_READ(task, fs, pwd.mnt);
	} else {
		struct file___part *file = files_get(dfd);

		if (!file)
			return false;
		dentry = BPF_CORE_READ(file, f_path.dentry);
		mnt = BPF_CORE_READ(file, f_path.mnt);
	}
	root_dentry = BPF_CORE_READ(task, fs, root.dentry);
	root_mnt = BPF_CORE_READ(task, fs, root.mnt);
	for (int i = 0; i < DIR_DEPTH; i++) {
		const unsigned char *name;
		struct dentry___part *parent;
		long length;
		u32 used;

		if (dentry == root_dentry && mnt == root_mnt)
			return true;
		parent = BPF_CORE_READ(dentry, d_parent);
		if (dentry == BPF_CORE_READ(mnt, mnt_root) || dentry == parent) {
			struct mount___part *mount = container_of(mnt, struct mount___part, mnt);
			struct mount___part *above = BPF_CORE_READ(mount, mnt_parent);

			if (above == mount)
				return true;
			dentry = BPF_CORE_READ(mount, mnt_mountpoint);
			mnt = &above->mnt;
			continue;
		}
		if (*size >= DIR_SIZE)
			break;
		name = BPF_CORE_READ(dentry, d_name.name);
		/*
		 * The size lives in the record: what is read from there has the same bounds on every way through the
		 * loop, where verifiers up to 6.1 would follow each sum of lengths by itself, past their limit.
		 */
		used = *(volatile u16 *)size;
		length = bpf_probe_read_kernel_str(names + (used & (DIR_SIZE - 1)), DIR_NAME_SIZE, name);
		if (length < 0)
			break;
		*size = used + length;
		dentry = parent;
	}
	return false;
}

#endif
