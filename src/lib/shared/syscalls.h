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
 *			a function of their own (…compat_sys_…).
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
	CALL(pidfd_send_signal, 424, 424, SYSCALL32_PREFIX)

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
	CALL(pidfd_send_signal, 424, 424, SYSCALL32_PREFIX)

#else
#error "lib/shared/syscalls.h does not know this architecture's system calls"
#endif

/* NR_open, NR32_open, … */
#define SYSCALLS_NUMBERS(name, number, number32, prefix32) NR_##name = number, NR32_##name = number32,
enum syscall_number { SYSCALLS(SYSCALLS_NUMBERS) };

/* The calls by themselves, whatever the ABI: SYSCALL_open, …; 0 is none. */
#define SYSCALLS_IDS(name, number, number32, prefix32) SYSCALL_##name,
enum syscall_id { SYSCALL_NONE, SYSCALLS(SYSCALLS_IDS) SYSCALLS_END };

/* Whether nr is the number of a call in the ABI that compat tells. */
#define syscall_is(name, nr, compat) ((nr) == ((compat) ? NR32_##name : NR_##name))

#endif
