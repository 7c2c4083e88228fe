/* SPDX-License-Identifier: BSD-2-Clause */
/* One program on a tracepoint: programs being started. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

SEC("tracepoint/sched/sched_process_exec")
int sched_process_exec(struct trace_event_raw_sched_process_exec *ctx)
{
	/* the file's name stands behind the fields: the low 16 bits say where, counted from the record's start */
	const char *filename = (const char *)ctx + (ctx->__data_loc_filename & 0xffff);

	bpf_printk("pid %d runs %s", bpf_get_current_pid_tgid() >> 32, filename);
	return 1;	/* after 0 perf(1) would not get the event while this program runs */
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
