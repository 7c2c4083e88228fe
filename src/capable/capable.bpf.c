/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Capabilities being checked: security_capable(cred, user_ns, cap, opts), which asks all security modules, so that its verdict is
 * the one that counts.  cap_capable() has the first module's only, and so has the tracepoint of newer kernels (6.13,
 * c5e6d4dbde62), which does not tell the options, that is, a denial from a question.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "capable.h"
#include "lib/bpf/errno.bpf.h"
#include "lib/bpf/call.bpf.h"
#include "lib/bpf/event_counts.bpf.h"
#include "lib/bpf/row_stack.bpf.h"
#include "lib/bpf/task.bpf.h"
#include "lib/bpf/tool.bpf.h"

#define CALLS_MAX 4096		/* in flight at the same time; one more is counted as lost */
#define UNIQUE_MAX 16384

#define CAP_OPT_NOAUDIT 2	/* include/linux/security.h */
#define CAP_OPT_INSETID 4

const volatile bool unique = false;	/* --unique */
const volatile bool audited = false;	/* -a */
const volatile int wanted = -1;		/* --cap; -1: all */

struct user_namespace___part {
	struct {
		unsigned int inum;
	} ns;
} __attribute__((preserve_access_index));

struct call {
	u32 user_ns;
	s32 capability;
	u32 opts;
};

CALLS(CALLS_MAX, struct call);

struct check {
	u64 start_time;		/* of the process: its number is another one's later */
	u32 pid;
	s32 capability;
	u32 user_ns;
	u32 opts;
	s32 result;
	u32 reserved;
};

/* --unique: what was shown.  What falls out of it is shown once more. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, UNIQUE_MAX);
	__type(key, struct check);
	__type(value, u8);
} shown SEC(".maps");

static __always_inline bool was_shown(const struct call *call, int result)
{
	struct check check = {
		.pid = bpf_get_current_pid_tgid() >> 32,
		.capability = call->capability,
		.user_ns = call->user_ns,
		.opts = call->opts,
		.result = result,
	};
	u8 one = 1;

	if (!unique)
		return false;
	check.start_time = BPF_CORE_READ(task_current(), group_leader, start_time);
	/* an int, whose upper half is anything before 6.4 (d7ba4cc900bf) */
	if ((int)bpf_map_update_elem(&shown, &check, &one, BPF_NOEXIST) != -EEXIST)
		return false;
	event_count_filtered();
	return true;
}

SEC("kprobe")
int capable_enter(struct pt_regs *ctx)
{
	struct user_namespace___part *user_ns = (struct user_namespace___part *)PT_REGS_PARM2(ctx);
	struct call call = { .capability = PT_REGS_PARM3(ctx), .opts = PT_REGS_PARM4(ctx) };
	u32 tid = (u32)bpf_get_current_pid_tgid();

	if (task_filtered()) {
		if (filter.active && !task_is_never_wanted())
			call_drop_stale(&calls, &tid);
		return 0;
	}
	if ((wanted >= 0 && call.capability != wanted) || (audited && call.opts & CAP_OPT_NOAUDIT)) {
		event_count_filtered();
		call_drop_stale(&calls, &tid);
		return 0;
	}
	call.user_ns = BPF_CORE_READ(user_ns, ns.inum);
	call_begin(&calls, &tid, &call);
	return 0;
}

SEC("kretprobe")
int capable_exit(struct pt_regs *ctx)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	int result = PT_REGS_RC(ctx);
	struct capable_event *event;
	struct call *call;

	if (task_is_never_wanted())
		return 0;
	/* nothing: filtered, lost, or begun before the tool was attached */
	call = bpf_map_lookup_elem(&calls, &tid);
	if (!call)
		return 0;
	/* to a question, no is an answer like another */
	if (result_filtered(call->opts & CAP_OPT_NOAUDIT ? 0 : result) || was_shown(call, result))
		goto end;
	event = event_reserve(sizeof(*event));
	if (!event)
		goto end;
	event->result = result;
	event->capability = call->capability;
	event->user_ns = call->user_ns;
	event->is_question = !!(call->opts & CAP_OPT_NOAUDIT);
	event->in_setid = !!(call->opts & CAP_OPT_INSETID);
	event->reserved = 0;
	event_submit_from(ctx, event);
end:
	call_end(&calls, &tid);
	return 0;
}

CALL_THREAD_EXIT(call_thread_exit(&calls))

char LICENSE[] SEC("license") = "Dual BSD/GPL";
