/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The system calls that are traced, in each ABI of the architecture: their numbers, and the kernel functions that do them.
 * Both sides include it.  No other file has such a number or such a name (tests/host/seams).
 *
 * A line is CALL(name, number, number32, prefix32):
 *	name		as in the tracepoint's name, sys_exit_NAME
 *	number		in the machine's own ABI, NR_NONE without it; the function is SYSCALL_PREFIX and the name
 *	number32	in the 32-bit ABI, or NR_NONE
 *	prefix32	of the function for 32-bit calls, before the name.  Calls whose arguments have another layout there have
 *			a function of their own (…compat_sys_…).  A call without arguments has one function for both ABIs, under
 *			two names (SYSCALL_DEFINE0): it must not be in a list of functions twice.
 *
 * Sources: arch/x86/entry/syscalls/syscall_{64,32}.tbl; include/uapi/asm-generic/unistd.h and
 * arch/arm64/include/asm/unistd32.h (since 6.11 arch/arm64/tools/syscall_{64,32}.tbl).  Numbers never change.
 */
#ifndef PROBELIGHT_SYSCALLS_H
#define PROBELIGHT_SYSCALLS_H

#define NR_NONE 0xffff

/* A BPF program is told its architecture by -D__TARGET_ARCH_…, the user side by the compiler. */
#if defined(__TARGET_ARCH_x86) || (!defined(__bpf__) && defined(__x86_64__))

#define SYSCALL_PREFIX "__x64_sys_"		/* since 4.17 */
#define SYSCALL32_PREFIX "__ia32_sys_"
#define SYSCALL32_COMPAT_PREFIX "__ia32_compat_sys_"

#define SYSCALLS(CALL) \
	CALL(open, 2, 5, SYSCALL32_COMPAT_PREFIX) \
	CALL(creat, 85, 8, SYSCALL32_PREFIX) \
	CALL(openat, 257, 295, SYSCALL32_COMPAT_PREFIX) \
	CALL(openat2, 437, 437, SYSCALL32_PREFIX) \
	CALL(execve, 59, 11, SYSCALL32_COMPAT_PREFIX) \
	CALL(execveat, 322, 358, SYSCALL32_COMPAT_PREFIX) \
	CALL(kill, 62, 37, SYSCALL32_PREFIX) \
	CALL(tkill, 200, 238, SYSCALL32_PREFIX) \
	CALL(tgkill, 234, 270, SYSCALL32_PREFIX) \
	CALL(rt_sigqueueinfo, 129, 178, SYSCALL32_COMPAT_PREFIX) \
	CALL(rt_tgsigqueueinfo, 297, 335, SYSCALL32_COMPAT_PREFIX) \
	CALL(pidfd_send_signal, 424, 424, SYSCALL32_PREFIX) \
	CALL(newstat, 4, 106, SYSCALL32_COMPAT_PREFIX) \
	CALL(newlstat, 6, 107, SYSCALL32_COMPAT_PREFIX) \
	CALL(newfstat, 5, 108, SYSCALL32_COMPAT_PREFIX) \
	CALL(newfstatat, 262, NR_NONE, SYSCALL32_PREFIX) \
	CALL(statx, 332, 383, SYSCALL32_PREFIX) \
	CALL(file_getattr, 468, 468, SYSCALL32_PREFIX) \
	CALL(statfs, 137, 99, SYSCALL32_COMPAT_PREFIX) \
	CALL(fstatfs, 138, 100, SYSCALL32_COMPAT_PREFIX) \
	CALL(statfs64, NR_NONE, 268, SYSCALL32_COMPAT_PREFIX) \
	CALL(fstatfs64, NR_NONE, 269, SYSCALL32_COMPAT_PREFIX) \
	CALL(stat64, NR_NONE, 195, SYSCALL32_COMPAT_PREFIX "ia32_") \
	CALL(lstat64, NR_NONE, 196, SYSCALL32_COMPAT_PREFIX "ia32_") \
	CALL(fstat64, NR_NONE, 197, SYSCALL32_COMPAT_PREFIX "ia32_") \
	CALL(fstatat64, NR_NONE, 300, SYSCALL32_COMPAT_PREFIX "ia32_") \
	CALL(stat, NR_NONE, 18, SYSCALL32_PREFIX) \
	CALL(lstat, NR_NONE, 84, SYSCALL32_PREFIX) \
	CALL(fstat, NR_NONE, 28, SYSCALL32_PREFIX) \
	CALL(init_module, 175, 128, SYSCALL32_PREFIX) \
	CALL(finit_module, 313, 350, SYSCALL32_PREFIX) \
	CALL(delete_module, 176, 129, SYSCALL32_PREFIX) \
	CALL(mount, 165, 21, SYSCALL32_PREFIX) \
	CALL(umount, 166, 52, SYSCALL32_PREFIX) \
	CALL(oldumount, NR_NONE, 22, SYSCALL32_PREFIX) \
	CALL(pivot_root, 155, 217, SYSCALL32_PREFIX) \
	CALL(open_tree, 428, 428, SYSCALL32_PREFIX) \
	CALL(open_tree_attr, 467, 467, SYSCALL32_PREFIX) \
	CALL(move_mount, 429, 429, SYSCALL32_PREFIX) \
	CALL(fsopen, 430, 430, SYSCALL32_PREFIX) \
	CALL(fsconfig, 431, 431, SYSCALL32_PREFIX) \
	CALL(fsmount, 432, 432, SYSCALL32_PREFIX) \
	CALL(fspick, 433, 433, SYSCALL32_PREFIX) \
	CALL(mount_setattr, 442, 442, SYSCALL32_PREFIX) \
	CALL(sync, 162, 36, SYSCALL_PREFIX) \
	CALL(syncfs, 306, 344, SYSCALL32_PREFIX) \
	CALL(fsync, 74, 118, SYSCALL32_PREFIX) \
	CALL(fdatasync, 75, 148, SYSCALL32_PREFIX) \
	CALL(msync, 26, 144, SYSCALL32_PREFIX) \
	CALL(sync_file_range, 277, 314, SYSCALL32_PREFIX "ia32_") \
	CALL(unlink, 87, 10, SYSCALL32_PREFIX) \
	CALL(unlinkat, 263, 301, SYSCALL32_PREFIX) \
	CALL(rmdir, 84, 40, SYSCALL32_PREFIX) \
	CALL(bind, 49, 361, SYSCALL32_PREFIX) \
	CALL(listen, 50, 363, SYSCALL32_PREFIX) \
	CALL(socketcall, NR_NONE, 102, SYSCALL32_COMPAT_PREFIX) \
	CALL(shmget, 29, 395, SYSCALL32_PREFIX) \
	CALL(shmat, 30, 397, SYSCALL32_COMPAT_PREFIX) \
	CALL(shmdt, 67, 398, SYSCALL32_PREFIX) \
	CALL(shmctl, 31, 396, SYSCALL32_COMPAT_PREFIX) \
	CALL(ipc, NR_NONE, 117, SYSCALL32_COMPAT_PREFIX)

#elif defined(__TARGET_ARCH_arm64) || (!defined(__bpf__) && defined(__aarch64__))

#define SYSCALL_PREFIX "__arm64_sys_"		/* since 4.19 */
#define SYSCALL32_PREFIX "__arm64_sys_"		/* the same function for both ABIs */
#define SYSCALL32_COMPAT_PREFIX "__arm64_compat_sys_"

#define SYSCALLS(CALL) \
	CALL(open, NR_NONE, 5, SYSCALL32_COMPAT_PREFIX) \
	CALL(creat, NR_NONE, 8, SYSCALL32_PREFIX) \
	CALL(openat, 56, 322, SYSCALL32_COMPAT_PREFIX) \
	CALL(openat2, 437, 437, SYSCALL32_PREFIX) \
	CALL(execve, 221, 11, SYSCALL32_COMPAT_PREFIX) \
	CALL(execveat, 281, 387, SYSCALL32_COMPAT_PREFIX) \
	CALL(kill, 129, 37, SYSCALL32_PREFIX) \
	CALL(tkill, 130, 238, SYSCALL32_PREFIX) \
	CALL(tgkill, 131, 268, SYSCALL32_PREFIX) \
	CALL(rt_sigqueueinfo, 138, 178, SYSCALL32_COMPAT_PREFIX) \
	CALL(rt_tgsigqueueinfo, 240, 363, SYSCALL32_COMPAT_PREFIX) \
	CALL(pidfd_send_signal, 424, 424, SYSCALL32_PREFIX) \
	CALL(newstat, NR_NONE, 106, SYSCALL32_COMPAT_PREFIX) \
	CALL(newlstat, NR_NONE, 107, SYSCALL32_COMPAT_PREFIX) \
	CALL(newfstat, 80, 108, SYSCALL32_COMPAT_PREFIX) \
	CALL(newfstatat, 79, NR_NONE, SYSCALL32_PREFIX) \
	CALL(statx, 291, 397, SYSCALL32_PREFIX) \
	CALL(file_getattr, 468, 468, SYSCALL32_PREFIX) \
	CALL(statfs, 43, 99, SYSCALL32_COMPAT_PREFIX) \
	CALL(fstatfs, 44, 100, SYSCALL32_COMPAT_PREFIX) \
	CALL(statfs64, NR_NONE, 266, SYSCALL32_COMPAT_PREFIX "aarch32_") \
	CALL(fstatfs64, NR_NONE, 267, SYSCALL32_COMPAT_PREFIX "aarch32_") \
	CALL(stat64, NR_NONE, 195, SYSCALL32_PREFIX) \
	CALL(lstat64, NR_NONE, 196, SYSCALL32_PREFIX) \
	CALL(fstat64, NR_NONE, 197, SYSCALL32_PREFIX) \
	CALL(fstatat64, NR_NONE, 327, SYSCALL32_PREFIX) \
	CALL(stat, NR_NONE, NR_NONE, SYSCALL32_PREFIX) \
	CALL(lstat, NR_NONE, NR_NONE, SYSCALL32_PREFIX) \
	CALL(fstat, NR_NONE, NR_NONE, SYSCALL32_PREFIX) \
	CALL(init_module, 105, 128, SYSCALL32_PREFIX) \
	CALL(finit_module, 273, 379, SYSCALL32_PREFIX) \
	CALL(delete_module, 106, 129, SYSCALL32_PREFIX) \
	CALL(mount, 40, 21, SYSCALL32_PREFIX) \
	CALL(umount, 39, 52, SYSCALL32_PREFIX) \
	CALL(oldumount, NR_NONE, NR_NONE, SYSCALL32_PREFIX) \
	CALL(pivot_root, 41, 218, SYSCALL32_PREFIX) \
	CALL(open_tree, 428, 428, SYSCALL32_PREFIX) \
	CALL(open_tree_attr, 467, 467, SYSCALL32_PREFIX) \
	CALL(move_mount, 429, 429, SYSCALL32_PREFIX) \
	CALL(fsopen, 430, 430, SYSCALL32_PREFIX) \
	CALL(fsconfig, 431, 431, SYSCALL32_PREFIX) \
	CALL(fsmount, 432, 432, SYSCALL32_PREFIX) \
	CALL(fspick, 433, 433, SYSCALL32_PREFIX) \
	CALL(mount_setattr, 442, 442, SYSCALL32_PREFIX) \
	CALL(sync, 81, 36, SYSCALL32_PREFIX) \
	CALL(syncfs, 267, 373, SYSCALL32_PREFIX) \
	CALL(fsync, 82, 118, SYSCALL32_PREFIX) \
	CALL(fdatasync, 83, 148, SYSCALL32_PREFIX) \
	CALL(msync, 227, 144, SYSCALL32_PREFIX) \
	CALL(sync_file_range, 84, NR_NONE, SYSCALL32_PREFIX) \
	CALL(unlink, NR_NONE, 10, SYSCALL32_PREFIX) \
	CALL(unlinkat, 35, 328, SYSCALL32_PREFIX) \
	CALL(rmdir, NR_NONE, 40, SYSCALL32_PREFIX) \
	CALL(bind, 200, 282, SYSCALL32_PREFIX) \
	CALL(listen, 201, 284, SYSCALL32_PREFIX) \
	CALL(socketcall, NR_NONE, NR_NONE, SYSCALL32_PREFIX) \
	CALL(shmget, 194, 307, SYSCALL32_PREFIX) \
	CALL(shmat, 196, 305, SYSCALL32_COMPAT_PREFIX) \
	CALL(shmdt, 197, 306, SYSCALL32_PREFIX) \
	CALL(shmctl, 195, 308, SYSCALL32_COMPAT_PREFIX "old_") \
	CALL(ipc, NR_NONE, NR_NONE, SYSCALL32_PREFIX)

#else
#error "lib/shared/syscalls.h does not know this architecture's system calls"
#endif

/* NR_open, NR32_open, … */
#define SYSCALLS_NUMBERS(name, number, number32, prefix32) NR_##name = number, NR32_##name = number32,
enum syscall_number { SYSCALLS(SYSCALLS_NUMBERS) };

/* The calls by themselves, whatever the ABI: SYSCALL_open, …; 0 is none. */
#define SYSCALLS_IDS(name, number, number32, prefix32) SYSCALL_##name,
enum syscall_id { SYSCALL_NONE, SYSCALLS(SYSCALLS_IDS) SYSCALLS_END };

/*
 * A tool lists its calls once, in its header, for both sides (lib/bpf/exits.bpf.h, lib/probe/syscall_exits.h):
 *
 *	#define TRACED_CALLS(CALL) CALL(kill) CALL(tkill)
 */
#define SYSCALLS_ID(name) SYSCALL_##name,

/* Whether nr is the number of a call in the ABI that compat tells. */
#define syscall_is(name, nr, compat) ((nr) == ((compat) ? NR32_##name : NR_##name))

#endif
