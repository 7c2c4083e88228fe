/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads every field of the module's events, through the header that ctxgen wrote in the guest (ctx.h). */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "ctx.h"
#include "kmod_values.h"
#include "lib/bpf/tp.bpf.h"

struct seen_fixed fixed_seen = {};
struct seen_dynamic dynamic_seen = {}, relative_seen = {};

SEC("tp/probelight-test/fixed")
int fixed(struct tp_probelight_test__fixed *ctx)
{
	u64 list[2];	/* not the struct of vmlinux.h, which would be relocated to the kernel's and take its BTF */

	fixed_seen.tiny = ctx->tiny;
	fixed_seen.small = ctx->small;
	fixed_seen.yes = ctx->yes;
	fixed_seen.pointer = (u64)ctx->pointer;
	fixed_seen.large = ctx->large;
	fixed_seen.last = ctx->last;
	bpf_probe_read_kernel_str(fixed_seen.name, sizeof(fixed_seen.name), ctx->name);
	bpf_probe_read_kernel(fixed_seen.numbers, sizeof(fixed_seen.numbers), ctx->numbers);
	bpf_probe_read_kernel(list, sizeof(list), ctx->list);
	fixed_seen.list_next = list[0];
	fixed_seen.list_prev = list[1];
	fixed_seen.count++;
	return 0;
}

SEC("tp/probelight-test/dynamic")
int dynamic(struct tp_probelight_test__dynamic *ctx)
{
	struct seen_dynamic *seen = &dynamic_seen;
	char nothing[8] = {};

	seen->string_length = tp_str(seen->string, sizeof(seen->string), ctx, __data_loc_string);
	seen->cut_length = tp_str(seen->cut, sizeof(seen->cut), ctx, __data_loc_string);
	seen->string_size = tp_size(ctx, __data_loc_string);
	seen->numbers_bytes = tp_array(seen->numbers, sizeof(seen->numbers), ctx, __data_loc_numbers);
	seen->numbers_size = tp_size(ctx, __data_loc_numbers);
	seen->cpus_bytes = tp_array(seen->cpus, sizeof(seen->cpus), ctx, __data_loc_cpus);
	seen->nothing_bytes = tp_array(nothing, sizeof(nothing), ctx, __data_loc_nothing);
	seen->last = ctx->last;
	seen->count++;
	return 0;
}

SEC("tp/probelight-test/relative")
int relative(struct tp_probelight_test__relative *ctx)
{
	struct seen_dynamic *seen = &relative_seen;

	seen->string_length = tp_rel_str(seen->string, sizeof(seen->string), ctx, __rel_loc_string);
	seen->cut_length = tp_rel_str(seen->cut, sizeof(seen->cut), ctx, __rel_loc_string);
	seen->string_size = tp_size(ctx, __rel_loc_string);
	seen->numbers_bytes = tp_rel_array(seen->numbers, sizeof(seen->numbers), ctx, __rel_loc_numbers);
	seen->numbers_size = tp_size(ctx, __rel_loc_numbers);
	seen->cpus_bytes = tp_rel_array(seen->cpus, sizeof(seen->cpus), ctx, __rel_loc_cpus);
	seen->last = ctx->last;
	seen->count++;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
