/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads, writes, opens and syncs of regular files, by the system calls that ask for them.  Which call does what is a table by number that
 * the user side fills (lib/run/file_ops.h).  A call that copies from one file to another is a read and a write.  Pipes, sockets, devices
 * and directories are no files here: a read of a pipe waits for somebody, not for a disk.  Include it once in a tool, after vmlinux.h.
 */
#ifndef PROBELIGHT_FILE_OP_BPF_H
#define PROBELIGHT_FILE_OP_BPF_H

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "lib/shared/file_op.h"
#include "files.bpf.h"
#include "syscall.bpf.h"

const volatile __u8 file_call_kinds[2 * FILE_CALL_NUMBERS] = {};
const volatile __u64 file_system_wanted[FILE_SYSTEM_SIZE / 8] = {};	/* --fs, padded with zeros; all 0: any */

struct file_system_type___part {
	const char *name;
} __attribute__((preserve_access_index));

struct super_block___file {
	struct file_system_type___part *s_type;
} __attribute__((preserve_access_index));

struct inode___file {
	unsigned short i_mode;
	struct super_block___file *i_sb;
} __attribute__((preserve_access_index));

#define S_IFMT 0170000	/* include/uapi/linux/stat.h */
#define S_IFREG 0100000

static __always_inline u64 file_call_kind(u64 nr, bool compat)
{
	u64 index = nr;

	/* 64 bits, compared as they are used: verifiers do not carry the bound of the half over to the whole */
	barrier_var(index);
	if (index >= FILE_CALL_NUMBERS)
		return 0;
	return file_call_kinds[compat ? index + FILE_CALL_NUMBERS : index];
}

/* Whether a call of that number, of one of the ABIs, works with files: most do not, whatever their kind. */
static __always_inline bool file_call_maybe(u64 nr)
{
	return file_call_kind(nr, false) | file_call_kind(nr, true);
}

/* A call whose requests nobody sees: the summary says so. */
static __always_inline int file_call_unseen(void)
{
	if (task_wanted(task_pid_tgid(), NULL))
		event_stats_first()->unseen = EVENT_UNSEEN_AIO;
	return 0;
}

/* All ones where the bit is set in kind, else 0.  Without a branch: the verifier would go through all that follows once more. */
static __always_inline u64 file_call_mask(u64 kind, u64 bit)
{
	u64 mask = (kind & bit) / bit;

	barrier_var(mask);
	return -mask;
}

static __always_inline const struct inode___file *file_inode(const struct file___part *file)
{
	return (const struct inode___file *)BPF_CORE_READ(file, f_inode);
}

/*
 * The regular file of a descriptor of the current task; NULL: it is not open, or another kind of file.  As files_get(), without branches
 * for the verifier: what is read at address 0 is 0.
 */
static __always_inline const struct file___part *file_regular(int fd)
{
	const struct fdtable___part *table;
	u64 in_range, is_regular, file = 0, fds;

	if (have_task_pt_regs) {
		table = ((const struct task_struct___part *)bpf_get_current_task_btf())->files->fdt;
		in_range = table->max_fds;
		fds = (u64)table->fd;
	} else {
		table = BPF_CORE_READ(task_current(), files, fdt);
		in_range = BPF_CORE_READ(table, max_fds);
		fds = (u64)BPF_CORE_READ(table, fd);
	}
	in_range = ((u64)(u32)fd - in_range) >> 63;
	barrier_var(in_range);
	bpf_probe_read_kernel(&file, sizeof(file), (const void *)((fds + (u64)(u32)fd * 8) & -in_range));
	is_regular = ((((u64)BPF_CORE_READ(file_inode((const struct file___part *)file), i_mode) & S_IFMT) ^ S_IFREG) - 1) >> 63;
	barrier_var(is_regular);
	return (const struct file___part *)(file & -is_regular);
}

/* Reads the name of the file's type of file system, padded with zeros. */
static __always_inline void file_system_read(char name[FILE_SYSTEM_SIZE], const struct file___part *file)
{
	bpf_probe_read_kernel_str(name, FILE_SYSTEM_SIZE, BPF_CORE_READ(file_inode(file), i_sb, s_type, name));
}

/* --fs */
static __always_inline bool file_system_is_wanted(const struct file___part *file)
{
	u64 name[FILE_SYSTEM_SIZE / 8] = {};

	if (!file_system_wanted[0])
		return true;
	file_system_read((char *)name, file);
	return name[0] == file_system_wanted[0] && name[1] == file_system_wanted[1];
}

struct file___mode {
	unsigned int f_mode;
} __attribute__((preserve_access_index));

#define FMODE_CREATED_BIT 20	/* include/linux/fs.h, since 4.19 */

/* FILE_CREATE where the call has made the file, else FILE_OPEN.  Without a branch, as file_call_mask(). */
static __always_inline u64 file_open_op(u64 file)
{
	u64 is_created = BPF_CORE_READ((const struct file___mode *)file, f_mode) >> FMODE_CREATED_BIT & 1;

	return FILE_OPEN + is_created * (FILE_CREATE - FILE_OPEN);
}

/* The size of the file's name with its 0 byte, the last component of its path, which is read into name; 0: it cannot be read. */
static __always_inline u32 file_name_read(char *name, u32 room, const struct file___part *file)
{
	long size = bpf_probe_read_kernel_str(name, room, (const void *)BPF_CORE_READ(file, f_path.dentry, d_name.name));

	return size < 0 ? 0 : size;
}

#endif
