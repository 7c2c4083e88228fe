/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sections of a known length, without a module: run by BPF_PROG_TEST_RUN, which has bottom halves disabled, so preemption is off
 * where the kernel has such a state; with the lock held, interrupts too.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

struct guarded {
	struct bpf_spin_lock lock;
	__u32 unused;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct guarded);
} locks SEC(".maps");

__u64 rounds = 0;
__u64 begin_ns = 0;	/* just before and just after */
__u64 end_ns = 0;

/*
 * 16 instructions a round of which the JIT makes several each, as the verifier walks all: on x86 divisions, which save and load
 * registers, on arm64 constants of 64 bits, which take four, where a division takes two.  No call is allowed in the lock.
 */
#ifdef __TARGET_ARCH_arm64
#define LONG "%1 = 0x123456789abcdef0 ll\n"
#else
#define LONG "%0 /= 1\n"
#endif

/* A few milliseconds at most. */
static __always_inline void burn(void)
{
	__u64 wanted = rounds, scratch = 0;

	for (__u32 i = 0; i < 45000; i++) {
		if (i >= wanted)
			break;
		asm volatile(LONG LONG LONG LONG LONG LONG LONG LONG LONG LONG LONG LONG LONG LONG LONG LONG
			     : "+r"(wanted), "+r"(scratch));
	}
}

SEC("tc")
int hold_irqs(struct __sk_buff *skb)
{
	__u32 key = 0;
	struct guarded *guarded = bpf_map_lookup_elem(&locks, &key);

	if (!guarded)
		return 0;
	begin_ns = bpf_ktime_get_ns();
	bpf_spin_lock(&guarded->lock);
	burn();
	bpf_spin_unlock(&guarded->lock);
	end_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("tc")
int hold_preempt(struct __sk_buff *skb)
{
	begin_ns = bpf_ktime_get_ns();
	burn();
	end_ns = bpf_ktime_get_ns();
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
