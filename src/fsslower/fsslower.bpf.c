/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads, writes, opens and syncs of files that take long, as lib/bpf/file_times.bpf.h sees them. */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "fsslower.h"
#include "lib/bpf/row_stack.bpf.h"
#include "lib/bpf/owner_stack.bpf.h"

struct file_asker {
	struct owner task;
};

#include "lib/bpf/file_times.bpf.h"

const volatile __u64 min_ns = FSSLOWER_MIN_MS * 1000000ULL;

/* The stacks are those of the submission. */
static __always_inline void file_asker_fill(void *ctx, struct file_asker *asker, u64 begun_ns)
{
	owner_fill(&asker->task);
	owner_send_stacks(ctx, &asker->task, begun_ns);
}

static __always_inline int file_op_ended(void *ctx, const struct file_op_end *end)
{
	struct fsslower_event *event;

	if (end->latency_ns < min_ns)
		return 0;
	event = end->asker ? event_reserve_of(sizeof(*event), &end->asker->task) : event_reserve(sizeof(*event));
	if (!event)
		return 0;
	event->latency_ns = end->asker ? event->task.ts_ns - end->begun_ns : end->latency_ns;
	event->result = end->result;
	event->op = end->op;
	event->fd = end->fd;
	event->via = end->via;
	event->is_closed = !end->file;
	event->file_size = 0;
	event->fs[0] = 0;
	if (end->file) {
		file_system_read(event->fs, end->file);
		event->file_size = file_name_read(event->file, sizeof(event->file), end->file);
	}
	if (end->asker)
		event_submit(event);
	else
		event_submit_from(ctx, event);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
