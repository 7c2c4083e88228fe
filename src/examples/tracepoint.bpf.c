/* SPDX-License-Identifier: BSD-2-Clause */
/* One program on a tracepoint: programs being started. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "lib/bpf/tp.bpf.h"

/* What `ctxgen sched/sched_process_exec` writes, with the members that are used: where they are, the running kernel says at load. */
struct tp_sched__sched_process_exec {
	__s32 pid;
	__u32 __data_loc_filename;
} __attribute__((preserve_access_index));

SEC("tp/sched/sched_process_exec")
int TP_PROG(sched_process_exec, struct tp_sched__sched_process_exec *ctx)
{
	char filename[128];

	tp_str(filename, sizeof(filename), ctx, __data_loc_filename);
	bpf_printk("pid %d runs %s", ctx->pid, filename);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
