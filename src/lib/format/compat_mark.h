/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the kernel marks a task that makes a 32-bit system call: their numbers are others. */
#ifndef PROBELIGHT_COMPAT_MARK_H
#define PROBELIGHT_COMPAT_MARK_H

struct compat_mark {
	int offset;		/* bytes in struct task_struct */
	unsigned size;		/* bytes of the number there, 4 or 8 */
	unsigned bit;		/* this bit of it */
};

/* Reads it from a file of BTF (COMPAT_MARK_BTF: the kernel's). 0; -errno where BTF cannot be read, -ENOENT where it does not have it. */
#define COMPAT_MARK_BTF "/sys/kernel/btf/vmlinux"
int compat_mark__find(struct compat_mark *mark, const char *btf);

#endif
