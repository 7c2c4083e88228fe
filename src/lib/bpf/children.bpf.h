/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which tasks -f follows.  A bit for each number in the initial pid namespace, so that there is always room.
 * lib/run/children.bpf.c writes the bit of each new task before the task runs, set or cleared: a number that is used again
 * never has the bit of the task before.  Hence nothing needs to be removed when a task ends, and its last events still
 * count.  Include it after vmlinux.h.
 */
#ifndef PROBELIGHT_CHILDREN_BPF_H
#define PROBELIGHT_CHILDREN_BPF_H

#include <bpf/bpf_helpers.h>

#include "lib/shared/children.h"

/* Made only for -f; 512 KB. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, CHILDREN_WORDS);
	__type(key, __u32);
	__type(value, __u64);
} followed SEC(".maps");

static __always_inline __u64 *followed_word(__u32 number)
{
	__u32 key = number / CHILDREN_WORD_BITS;

	return bpf_map_lookup_elem(&followed, &key);
}

static __always_inline __u64 followed_bit(__u32 number)
{
	return 1ull << number % CHILDREN_WORD_BITS;
}

/*
 * Whether -f follows the process or thread with this number in the initial pid namespace.  A function of its own, which the
 * user side leaves out without -f.
 */
static __noinline bool is_followed(__u32 number)
{
	const volatile __u64 *word = followed_word(number);

	return word && *word & followed_bit(number);
}

#endif
