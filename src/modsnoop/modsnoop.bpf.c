/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Modules that are loaded and removed, seen when the system calls return: so failures are seen too.  The calls do not name the
 * module that they load; the kernel's own event does, in the same thread, once the module is there and before its init function
 * runs.  And modules that the kernel asks for.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "modsnoop.h"
#include "lib/bpf/exits.bpf.h"
#include "lib/bpf/files.bpf.h"
#include "lib/bpf/hidden.bpf.h"
#include "lib/bpf/path.bpf.h"
#include "lib/bpf/role.bpf.h"
#include "lib/bpf/row_stack.bpf.h"
#include "lib/bpf/tp.bpf.h"

const volatile bool have_types = false;		/* the kernel tells its types: a descriptor's file has a name */

/* Their layouts come from the running kernel's format files (lib/layout). */
struct tp_module__module_load {
	u32 __data_loc_name;
} __attribute__((preserve_access_index));

struct tp_module__module_request {
	bool wait;
	u32 __data_loc_name;
} __attribute__((preserve_access_index));

/* By thread: the module that it has loaded, until the call returns. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 128);
	__type(key, u32);
	__type(value, char[MODULE_NAME_SIZE]);
} loaded SEC(".maps");

/* what names a module that is loaded makes no row */
SEC("tp/module/module_load") SEES_NO_EVENT
int TP_PROG(module_loaded, struct tp_module__module_load *ctx)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	char name[MODULE_NAME_SIZE] = {};

	bpf_probe_read_kernel_str(name, sizeof(name), tp_loc_address(ctx, ctx->__data_loc_name));
	/* where there is no room, the row is there without the name */
	bpf_map_update_elem(&loaded, &tid, name, BPF_ANY);
	return 0;
}

static __always_inline int deliver(void *ctx, struct path_text *texts, enum syscall_id call, long result, u32 flags, u16 about)
{
	struct module_event *event;
	u16 room;

	event = event_reserve_paths(sizeof(*event), 0, texts, MODULE_TEXTS, &room);
	if (!event)
		return 0;
	event->result = result;
	event->flags = flags;
	event->call = call;
	event->about = about;
	event->room = room;
	for (int i = 0; i < MODULE_TEXTS; i++)
		event->sizes[i] = texts[i].size;
	event->reserved = 0;
	event_submit_from(ctx, event);
	return 0;
}

static __always_inline void forget_loaded(void)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();

	bpf_map_delete_elem(&loaded, &tid);
}

static __always_inline bool exit_is_unwanted(enum syscall_id syscall, long result)
{
	if (!exit_filtered(result))
		return false;
	forget_loaded();
	return true;
}

/* A pointer that the verifier knows, as a number that it does not. */
static __always_inline const char *as_number(const char *pointer)
{
	const char *number = NULL;

	bpf_probe_read_kernel(&number, sizeof(number), &pointer);
	return number;
}

static __always_inline int call_exited(void *ctx, const struct exited *exited, const bool single)
{
	struct path_text texts[MODULE_TEXTS] = {};
	u32 tid = (u32)bpf_get_current_pid_tgid();
	const u64 *args = exited->args;
	u32 flags = 0, call, in_kernel;
	u64 zero;

	if (exited->syscall == SYSCALL_delete_module) {
		texts[MODULE_NAME].from = (const char *)args[0];
		flags = args[1];
	} else {
		texts[MODULE_NAME].from = as_number(bpf_map_lookup_elem(&loaded, &tid));
	}
	if (exited->syscall == SYSCALL_finit_module) {
		if (have_types && exited->known)
			texts[MODULE_FILE].from = single ? files_name(args[0]) : files_name_inline(args[0]);
		texts[MODULE_PARAMS].from = (const char *)args[1];
		flags = args[2];
	} else if (exited->syscall == SYSCALL_init_module) {
		texts[MODULE_PARAMS].from = (const char *)args[2];
	}
	/* constants become numbers that the verifier does not know, or it walks what follows once for each call */
	zero = hidden_zero();
	for (int i = 0; i < MODULE_TEXTS; i++) {
		texts[i].from = (const char *)((u64)texts[i].from | zero);
		barrier_var(texts[i].from);
	}
	in_kernel = (exited->syscall != SYSCALL_delete_module) | zero;
	call = exited->syscall | zero;
	flags |= zero;
	/* not later */
	barrier_var(call);
	barrier_var(flags);
	barrier_var(in_kernel);
	texts[MODULE_NAME].in_kernel = in_kernel;
	texts[MODULE_FILE].in_kernel = true;
	deliver(ctx, texts, call, exited->result, flags, exited->known ? 0 : MODULE_ARGS_UNKNOWN);
	forget_loaded();
	return 0;
}

/* The kernel asks modprobe for a module, for the current task. It has no result: -x drops it. */
SEC("tp/module/module_request")
int TP_PROG(module_requested, struct tp_module__module_request *ctx)
{
	struct path_text texts[MODULE_TEXTS] = {};

	if (exit_filtered(0))
		return 0;
	texts[MODULE_NAME].from = (const char *)tp_loc_address(ctx, ctx->__data_loc_name);
	texts[MODULE_NAME].in_kernel = true;
	return deliver(ctx, texts, SYSCALL_NONE, 0, 0, ctx->wait ? MODULE_WAITS : 0);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
