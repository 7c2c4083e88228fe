/* SPDX-License-Identifier: BSD-2-Clause */
/* The directory that a task's relative paths start from.  Include it after vmlinux.h; the sizes are in dir.h. */
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

/* From a directory upwards. */
struct dir_walk {
	struct dentry___part *dentry, *root_dentry;
	struct vfsmount___part *mnt, *root_mnt;
	char *names;
	u16 *size;
	bool is_whole;
};

/* Where the walk ends. */
static __always_inline void dir_end_at_root(struct dir_walk *walk)
{
	struct task_struct___part *task = task_current();

	walk->root_dentry = BPF_CORE_READ(task, fs, root.dentry);
	walk->root_mnt = BPF_CORE_READ(task, fs, root.mnt);
}

/* Where the walk begins and ends; false where the descriptor is not open. */
static __always_inline bool dir_begin(struct dir_walk *walk, int dfd)
{
	struct task_struct___part *task = task_current();

	if (dfd == AT_FDCWD) {
		walk->dentry = BPF_CORE_READ(task, fs, pwd.dentry);
		walk->mnt = BPF_CORE_READ(task, fs, pwd.mnt);
	} else {
		struct file___part *file = files_get(dfd);

		if (!file)
			return false;
		walk->dentry = BPF_CORE_READ(file, f_path.dentry);
		walk->mnt = BPF_CORE_READ(file, f_path.mnt);
	}
	dir_end_at_root(walk);
	return true;
}

/* The same at a directory that the kernel has found. */
static __always_inline void dir_begin_at(struct dir_walk *walk, const struct path___part *dir)
{
	walk->dentry = BPF_CORE_READ(dir, dentry);
	walk->mnt = BPF_CORE_READ(dir, mnt);
	dir_end_at_root(walk);
}

/* One directory or mount point upwards.  Whether the walk has ended. */
static __always_inline bool dir_step(struct dir_walk *walk)
{
	struct dentry___part *dentry = walk->dentry, *parent;
	struct vfsmount___part *mnt = walk->mnt;
	const unsigned char *name;
	long length;
	u32 used;

	if (dentry == walk->root_dentry && mnt == walk->root_mnt)
		goto whole;
	parent = BPF_CORE_READ(dentry, d_parent);
	if (dentry == BPF_CORE_READ(mnt, mnt_root) || dentry == parent) {
		struct mount___part *mount = container_of(mnt, struct mount___part, mnt);
		struct mount___part *above = BPF_CORE_READ(mount, mnt_parent);

		if (above == mount)
			goto whole;
		walk->dentry = BPF_CORE_READ(mount, mnt_mountpoint);
		walk->mnt = &above->mnt;
		return false;
	}
	if (*walk->size >= DIR_SIZE)
		return true;
	name = BPF_CORE_READ(dentry, d_name.name);
	/*
	 * The size lives in the record: what is read from there has the same bounds on every way through the
	 * loop, where verifiers up to 6.1 would follow each sum of lengths by itself, past their limit.
	 */
	used = *(volatile u16 *)walk->size;
	length = bpf_probe_read_kernel_str(walk->names + (used & (DIR_SIZE - 1)), DIR_NAME_SIZE, name);
	if (length < 0)
		return true;
	*walk->size = used + length;
	walk->dentry = parent;
	return false;
whole:
	walk->is_whole = true;
	return true;
}

/* For bpf_loop(). */
static long dir_round(u32 i, struct dir_walk *walk)
{
	return dir_step(walk);
}

/*
 * Reads the names of the directory that a relative path starts from, innermost first, up to the current task's root: each ended
 * by a 0 byte, into names, which has room for DIR_ROOM bytes; *size, 0 before, is how many bytes they take.  dfd:
 * AT_FDCWD or a descriptor, as for openat(2).  Whether that is all of them; of a descriptor that is not open there are none.
 */
static __noinline __attribute__((unused)) bool dir_read(char *names, u16 *size, int dfd)
{
	struct dir_walk walk = { .names = names, .size = size };

	if (!dir_begin(&walk, dfd))
		return false;
	for (int i = 0; i < DIR_DEPTH; i++)
		if (dir_step(&walk))
			break;
	return walk.is_whole;
}

/*
 * The same by bpf_loop() (kernel__has_loop()): the verifier looks at its callback once, and at the loop in its place in each round,
 * 37 million instructions for each program.  5.10 refuses a program that has it, even where nothing reaches it: to be left out there
 * (layout__leave_out()).
 */
static __noinline __attribute__((unused)) bool dir_read_by_loop(char *names, u16 *size, int dfd)
{
	struct dir_walk walk = { .names = names, .size = size };

	if (dir_begin(&walk, dfd))
		bpf_loop(DIR_DEPTH, dir_round, &walk, 0);
	return walk.is_whole;
}

/* Both for a directory that the kernel has found, in its memory. */
static __noinline __attribute__((unused)) bool dir_read_at(char *names, u16 *size, const struct path___part *dir)
{
	struct dir_walk walk = { .names = names, .size = size };

	dir_begin_at(&walk, dir);
	for (int i = 0; i < DIR_DEPTH; i++)
		if (dir_step(&walk))
			break;
	return walk.is_whole;
}

static __noinline __attribute__((unused)) bool dir_read_at_by_loop(char *names, u16 *size, const struct path___part *dir)
{
	struct dir_walk walk = { .names = names, .size = size };

	dir_begin_at(&walk, dir);
	bpf_loop(DIR_DEPTH, dir_round, &walk, 0);
	return walk.is_whole;
}

#endif
