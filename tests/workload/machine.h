/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a workload needs to be the same on x86-64 and arm64.  System calls that arm64 never had are made by those that do the same there:
 * open(2) by openat(2), and so on.  Include it after the system's headers.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include <elf.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)

#define MACHINE_ELF EM_X86_64
#define MACHINE_STAT "stat"
#define MACHINE_LSTAT "lstat"

#elif defined(__aarch64__)

#include <fcntl.h>
#include <stdarg.h>

#define MACHINE_ELF EM_AARCH64
/* what the calls are called that stand for these */
#define MACHINE_STAT "newfstatat"
#define MACHINE_LSTAT "newfstatat"
#define MAP_32BIT 0	/* memory is not wanted low: there are no 32-bit calls from 64-bit programs */

/* Numbers that no call has. */
enum { SYS_open = 100001, SYS_creat, SYS_unlink, SYS_rmdir, SYS_stat, SYS_lstat, SYS_pause };

static inline long machine__syscall(long nr, ...)
{
	long a[6];
	va_list list;

	va_start(list, nr);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	switch (nr) {
	case SYS_open: return syscall(SYS_openat, AT_FDCWD, a[0], a[1], a[2]);
	case SYS_creat: return syscall(SYS_openat, AT_FDCWD, a[0], O_CREAT | O_WRONLY | O_TRUNC, a[1]);
	case SYS_unlink: return syscall(SYS_unlinkat, AT_FDCWD, a[0], 0);
	case SYS_rmdir: return syscall(SYS_unlinkat, AT_FDCWD, a[0], AT_REMOVEDIR);
	case SYS_stat: return syscall(SYS_newfstatat, AT_FDCWD, a[0], a[1], 0);
	case SYS_lstat: return syscall(SYS_newfstatat, AT_FDCWD, a[0], a[1], AT_SYMLINK_NOFOLLOW);
	case SYS_pause: return syscall(SYS_ppoll, 0, 0, 0, 0);
	}
	return syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}
#define syscall(...) machine__syscall(__VA_ARGS__)

#else
#error "tests/workload/machine.h does not know this architecture"
#endif

/* The number that /proc/TID/syscall shows of a call. */
static inline long machine__nr(long nr)
{
#ifdef __aarch64__
	return nr == SYS_unlink || nr == SYS_rmdir ? SYS_unlinkat : nr == SYS_pause ? SYS_ppoll : nr;
#else
	return nr;
#endif
}

#endif
