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

/* room: a constant. */
static __always_inline struct fsslower_event *reserve(const struct file_op_end *end, const u64 room)
{
	const u64 size = sizeof(struct fsslower_event) + room;

	return end->asker ? event_reserve_of(size, &end->asker->task) : event_reserve(size);
}

/* Reserves the event, and reads the name into it, whose size goes to name_size. */
static __always_inline struct fsslower_event *reserve_named(const struct file_op_end *end, u32 *name_size)
{
	struct fsslower_event *event = reserve(end, FSSLOWER_NAME_SHORT);

	*name_size = 0;
	if (!event || !end->file)
		return event;
	*name_size = file_name_read(event->file, FSSLOWER_NAME_SHORT, end->file);
	if (*name_size != FSSLOWER_NAME_SHORT)
		return event;
	event_discard(event);
	event = reserve(end, FILE_NAME_SIZE);
	if (event)
		*name_size = file_name_read(event->file, FILE_NAME_SIZE, end->file);
	return event;
}

static __always_inline int file_op_ended(void *ctx, const struct file_op_end *end)
{
	struct fsslower_event *event;
	u32 name_size;

	if (end->latency_ns < min_ns)
		return 0;
	event = reserve_named(end, &name_size);
	if (!event)
		return 0;
	event->latency_ns = end->asker ? event->task.ts_ns - end->begun_ns : end->latency_ns;
	event->result = end->result;
	event->op = end->op;
	event->fd = end->fd;
	event->via = end->via;
	event->is_closed = !end->file;
	event->file_size = name_size;
	event->fs[0] = 0;
	if (end->file)
		file_system_read(event->fs, end->file);
	if (end->asker)
		event_submit(event);
	else
		event_submit_from(ctx, event);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
