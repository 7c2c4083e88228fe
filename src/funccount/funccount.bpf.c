/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts calls, in a cell for each function.  One program on all functions finds the cell by the function's address, in a table that
 * the user side has filled without collisions beyond FUNCCOUNT_TRIES: it costs a third of a hash map's lookup.  Where the kernel has
 * fentry.multi, another one is on those that its BTF has, and is told their numbers.  Where it has no kprobe.multi, each function has a program of its own, which knows its number.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "funccount.h"
#include "lib/bpf/counts.bpf.h"
#include "lib/bpf/filter.bpf.h"
#include "lib/bpf/traced.bpf.h"

COUNTS(struct funccount_counts, 1);

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct funccount_place);
} places SEC(".maps");

/* Of the table of addresses: a place is the upper bits of a product. */
const volatile __u64 place_factor = 0;
const volatile __u32 place_shift = 63;
const volatile __u32 functions = 1;

static __always_inline int count(u32 function)
{
	struct funccount_counts *counts = counts_at(functions, function);

	if (counts)
		count_add(&counts->calls, 1);
	return 0;
}

SEC("?kprobe.multi")
int function_multi(struct pt_regs *ctx)
{
	u64 address = bpf_get_func_ip(ctx);
	u32 first = (u32)(address * place_factor >> place_shift);

	if (event_is_over() || task_filtered())
		return 0;
	for (u32 i = 0; i < FUNCCOUNT_TRIES; i++) {
		u32 at = first + i;
		struct funccount_place *place = bpf_map_lookup_elem(&places, &at);

		if (place && place->address == address)
			return count((u32)place->function);
	}
	event_count_no_room();
	return 0;
}

/* fentry.multi: the cookie is the function's number. */
SEC("?fentry_id")
int function_id(void *ctx)
{
	return event_is_over() || task_filtered() ? 0 : count((u32)bpf_get_attach_cookie(ctx));
}

static __always_inline int function(void *ctx, u32 number)
{
	return event_is_over() || task_filtered() ? 0 : count(number);
}

TRACED_PROGRAMS("?kprobe", function)

char LICENSE[] SEC("license") = "GPL";
