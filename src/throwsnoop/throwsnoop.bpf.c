/* SPDX-License-Identifier: BSD-2-Clause */
/* C++ exceptions, at the entries of the functions by which the compiler throws them (Itanium C++ ABI, "Exception Handling", 2.4 and 2.5). */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "throwsnoop.h"
#include "lib/bpf/own_stack.bpf.h"
#include "lib/bpf/tool.bpf.h"
#include "lib/bpf/path.bpf.h"
#include "lib/bpf/row_stack.bpf.h"

#define TYPE_NAME 8	/* where std::type_info has the pointer to the name, behind that to its functions */

static __always_inline int send(struct pt_regs *ctx, struct path_text *type, bool is_rethrow)
{
	struct throw_event *event;
	u16 room;

	if (task_filtered())
		return 0;
	event = event_reserve_paths(sizeof(*event), 0, type, 1, &room);
	if (!event)
		return 0;
	event->is_rethrow = is_rethrow;
	event->type_size = type->size;
	row_stack_send(ctx, &event->task, arch_user_caller(ctx));
	event_submit(event);
	return 0;
}

/* __cxa_throw(object, type, destructor) */
SEC("kprobe")
int thrown(struct pt_regs *ctx)
{
	struct path_text type = {};

	own_stack_ask(ctx);
	bpf_probe_read_user(&type.from, sizeof(type.from), (const void *)(PT_REGS_PARM2(ctx) + TYPE_NAME));
	return send(ctx, &type, false);
}

/* __cxa_rethrow(), which ends the program where no exception is being handled */
SEC("kprobe")
int thrown_again(struct pt_regs *ctx)
{
	struct path_text none = {};

	own_stack_ask(ctx);
	return send(ctx, &none, true);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
