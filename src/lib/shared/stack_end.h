/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a task's kernel stack ends, from an address on it.
 *
 * A stack is as large as it is aligned (THREAD_SIZE): 16 KB, with KASAN twice that or more, with pages of 64 KB as large as a page.
 * Nothing in a program tells which, so the smallest is taken: the end is right for what lies no deeper than 16 KB, as calls do when they
 * begin and return, and for what lies deeper an address on the same stack, where there are no registers of a call.
 */
#ifndef PROBELIGHT_STACK_END_H
#define PROBELIGHT_STACK_END_H

#ifndef __bpf__
#include <linux/types.h>
#include <stdbool.h>
#endif

/* least: the size of the smallest stack, a power of two */
static inline __u64 stack_end(__u64 address, __u64 least)
{
	return (address | (least - 1)) + 1;
}

/* Whether two addresses are on one stack, by their lower halves; where stacks are larger than the smallest one, false for some that are. */
static inline bool stack_is_one(__u32 a, __u32 b, __u32 least)
{
	return (a ^ b) < least;
}

#endif
