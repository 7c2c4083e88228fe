/* SPDX-License-Identifier: BSD-2-Clause */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bashreadline.h"
#include "lib/bpf/own_stack.bpf.h"
#include "lib/bpf/tool.bpf.h"
#include "lib/bpf/path.bpf.h"

/*
 * At the returns of readline_internal_teardown(), which copies the line into memory that readline() then returns: it is there.  NULL at the
 * end of the input.
 */
SEC("kprobe")
int line_entered(struct pt_regs *ctx)
{
	struct path_text line = { .from = (const char *)PT_REGS_RC(ctx) };
	struct bashreadline_event *event;
	u8 next = 0;
	u16 room;

	own_stack_ask(ctx);
	if (!line.from || task_filtered())
		return 0;
	event = event_reserve_paths(sizeof(*event), 0, &line, 1, &room);
	if (!event)
		return 0;
	if (line.size == PATH_SIZE)
		bpf_probe_read_user(&next, sizeof(next), line.from + PATH_SIZE - 1);
	event->size = line.size;
	event->is_cut = !!next;
	event_submit(event);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
