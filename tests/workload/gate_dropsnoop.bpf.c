/* SPDX-License-Identifier: BSD-2-Clause */
#include "vmlinux.h"

#include "lib/bpf/tool.bpf.h"
#include "workload/gate_dropsnoop.h"

const volatile __u32 break_what = GATE_NOTHING;

__u64 seen = 0;

SEC("tp/syscalls/sys_exit_openat")
int openat_exit(void *ctx)
{
	struct event_task *event;

	if (task_filtered())
		return 0;
	if (break_what == GATE_DROP && ++seen % 100 == 0)
		return 0;
	if (break_what == GATE_LOSE) {
		event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
		if (event)
			event_fill_task(event);
	} else {
		event = event_reserve(sizeof(*event));
	}
	if (!event)
		return 0;
	event_submit(event);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
