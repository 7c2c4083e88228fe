/* SPDX-License-Identifier: BSD-2-Clause */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bashreadline.h"
#include "lib/bpf/own_stack.bpf.h"
#include "lib/bpf/tool.bpf.h"
#include "lib/bpf/path.bpf.h"

/* At the return of a function that returns the line; NULL at the end of the input. */
static __always_inline int send_line(struct pt_regs *ctx, bool is_zsh)
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
	event->is_zsh = is_zsh;
	event_submit(event);
	return 0;
}

/* At the returns of readline_internal_teardown(), which copies the line into memory that readline() then returns: it is there. */
SEC("kprobe")
int line_entered(struct pt_regs *ctx)
{
	return send_line(ctx, false);
}

/* At those of zleread(). */
SEC("kprobe")
int zsh_line_entered(struct pt_regs *ctx)
{
	return send_line(ctx, true);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
