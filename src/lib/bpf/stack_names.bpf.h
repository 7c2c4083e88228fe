/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of the kernel's addresses, on request of the user side (lib/stacks/namer.h).  Include it once in an object, after vmlinux.h.
 */
#ifndef PROBELIGHT_STACK_NAMES_BPF_H
#define PROBELIGHT_STACK_NAMES_BPF_H

#include <bpf/bpf_helpers.h>

#include "lib/shared/stack.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct stack_names);
} stack_names SEC(".maps");

/* B: the address is where a call returns to, which may be the first byte of the next function. */
const char stack_name_format[] = "%pB";

/* Writes the name of one address of the batch.  A global function, which is verified once and not for each address. */
__attribute__((noinline)) int stack_name_address(__u32 number)
{
	__u32 first = 0;
	struct stack_names *batch = bpf_map_lookup_elem(&stack_names, &first);

	if (batch && number < STACK_NAMES_BATCH && number < batch->count)
		bpf_snprintf(batch->names[number], STACK_NAME_SIZE, stack_name_format, &batch->addresses[number], sizeof(__u64));
	return 0;
}

/* Not loaded where the kernel has no such programs, or no bpf_snprintf(): before 5.14. */
SEC("syscall")
int stack_name_addresses(void *ctx)
{
	/* a loop would cost the verifier a state for each round */
#pragma unroll
	for (__u32 i = 0; i < STACK_NAMES_BATCH; i++)
		stack_name_address(i);
	return 0;
}

#endif
