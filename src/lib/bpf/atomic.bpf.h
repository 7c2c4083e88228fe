/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Additions that other CPUs see as a whole.  Nobody gets their result: one that is fetched is an instruction that the kernel has since 5.12
 * (5ffa25502b5a), and newer versions of clang (21 does, 14 does not) make one of __sync_fetch_and_add() also where the result is not used.
 * Of a relaxed addition without a result all make the plain one.
 */
#ifndef PROBELIGHT_ATOMIC_BPF_H
#define PROBELIGHT_ATOMIC_BPF_H

#define atomic_add(to, number) ((void)__atomic_fetch_add(to, number, __ATOMIC_RELAXED))

/* The same where it says to others what they may read or write: the compiler keeps what is before and after it there. */
#define atomic_add_ordered(to, number)         \
	do {                                   \
		asm volatile("" ::: "memory"); \
		atomic_add(to, number);        \
		asm volatile("" ::: "memory"); \
	} while (0)

#endif
