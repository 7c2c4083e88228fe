/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sleeps that go on: a queue in the order in which they began, at which one CPU looks once a second.  Before it is
 * included: min_ns; the tool defines tell_of().
 */
#ifndef DSLOWER_LOOKING_BPF_H
#define DSLOWER_LOOKING_BPF_H

#include "dslower.h"

struct begun {
	u64 task, since_ns;
};

static __always_inline void tell_of(const struct begun *oldest, u64 now_ns);

/* What has begun since the last look. */
struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, DSLOWER_BEGUN);
	__uint(value_size, sizeof(struct begun));
} begun SEC(".maps");

__u64 look_ns = 0;	/* when it was last looked */

/* Has an entry while a CPU looks: a lock that every kernel has for programs of this type. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u32);
} looking SEC(".maps");

/* Without room a sleep has a row when it ends. */
static __always_inline void note_begin(u64 task, u64 now_ns)
{
	struct begun begin = { .task = task, .since_ns = now_ns };

	bpf_map_push_elem(&begun, &begin, 0);
}

/* Looks at the sleep that began first, and tells of it if it goes on.  0: there is none that began long enough ago. */
__attribute__((noinline)) int tell_oldest(u64 now_ns)
{
	struct begun oldest = {};

	/* signed: it may have begun on another CPU since */
	if (bpf_map_peek_elem(&begun, &oldest) || (s64)(now_ns - oldest.since_ns) < (s64)min_ns)
		return 0;
	bpf_map_pop_elem(&begun, &oldest);
	tell_of(&oldest, now_ns);
	return 1;
}

#define TOLD_AT_ONCE 64

/*
 * The same for some of them: 0 if none is left.  The verifier follows each turn of a loop, so that one of 2,048 took it 90 million
 * instructions (6.1), and two of 32 and 64, each in a function that it looks at by itself, take a hundredth.
 */
__attribute__((noinline)) int tell_some(u64 now_ns)
{
	for (int i = 0; i < TOLD_AT_ONCE; i++)
		if (!tell_oldest(now_ns))
			return 0;
	return 1;
}

/* Once a second, on one CPU alone: what it has peeked at it must be the one to pop. */
static __always_inline void look(u64 now_ns)
{
	u32 zero = 0;

	/* signed: another CPU may have looked since */
	if ((s64)(now_ns - look_ns) < DSLOWER_LOOK_NS || bpf_map_update_elem(&looking, &zero, &zero, BPF_NOEXIST))
		return;
	look_ns = now_ns;
	for (int i = 0; i < DSLOWER_BEGUN / TOLD_AT_ONCE; i++)
		if (!tell_some(now_ns))
			break;
	bpf_map_delete_elem(&looking, &zero);
}

#endif
