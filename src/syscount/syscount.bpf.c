/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls, counted when they return: in an array by number, so that nothing can be full; 32-bit calls have numbers of their
 * own.  With -L they are followed from their begin on, by task: the time is known then, and which calls are still under way.
 *
 * The programs are on raw tracepoints.  From 7.0 on these can be preempted and the kernel skips them for the other tasks of the
 * CPU: there the same is done on the events, which are not preempted.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "lib/bpf/call.bpf.h"
#include "lib/bpf/counts.bpf.h"
#include "lib/bpf/refused.bpf.h"
#include "lib/bpf/suppressed.bpf.h"
#include "lib/bpf/syscall.bpf.h"
#include "lib/bpf/table.bpf.h"
#include "lib/bpf/task_key.bpf.h"
#include "syscount.h"

#define CALLS_MAX 10240
#define RESULT_MIN -4095	/* of an error; MAX_ERRNO, include/linux/err.h */

COUNTS(struct syscount_counts, SYSCOUNT_CLASSES);
TABLE(struct syscount_key, struct syscount_counts, SYSCOUNT_KEYS);

const volatile bool by_call = false;		/* also where it counts by task or error */
const volatile bool by_error = false;
const volatile bool by_class = false;		/* --syscall: these only */
const volatile __u8 wanted_classes[SYSCOUNT_CLASSES] = {};
const volatile __u32 wanted_error = 0;		/* -e, or 0 */
const volatile __u32 fork_classes[SYSCOUNT_FORKS] = {};
const volatile __u32 exit_classes[SYSCOUNT_EXITS] = {};

struct call {
	u64 begun_ns;
	u64 class;
};

/* -L: calls under way.  By task and not by thread id, which a thread that execs takes over from the first one. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, CALLS_MAX);
	__type(key, u64);
	__type(value, struct call);
} under_way SEC(".maps");

static __always_inline u32 class_of(u64 nr, bool compat)
{
	if (nr >= SYSCOUNT_NUMBERS)
		return SYSCOUNT_UNKNOWN;
	return compat ? SYSCOUNT_32BIT + (u32)nr : (u32)nr;
}

static __always_inline bool is_among(const volatile __u32 *classes, u32 count, u32 class)
{
	for (u32 i = 0; i < count; i++)
		if (classes[i] == class)
			return true;
	return false;
}

/* --syscall */
static __always_inline bool class_wanted(u32 class)
{
	u64 index = class;

	/* 64 bits, compared as they are used: verifiers do not carry the bound of the half over to the whole */
	barrier_var(index);
	return !by_class || (index < SYSCOUNT_CLASSES && wanted_classes[index]);
}

static __always_inline bool class_filtered(u32 class)
{
	if (class_wanted(class))
		return false;
	event_count_filtered();
	return true;
}

/* -x and -e */
static __always_inline bool error_filtered(s64 result)
{
	bool failed = result < 0 && result >= RESULT_MIN;

	if ((!filter.failed_only || failed) && (!wanted_error || (failed && -result == wanted_error)))
		return false;
	event_count_filtered();
	return true;
}

/* What the call counts in; NULL only where the verifier thinks so. */
static __always_inline struct syscount_counts *find_counts(u32 class, s64 result)
{
	struct syscount_key key = {};
	struct syscount_counts *counts;

	if (task_key_kind == TASK_KEY_NONE && !by_error)
		return counts_at(SYSCOUNT_CLASSES, class);
	if (task_key_kind != TASK_KEY_NONE)
		task_key_set_current(&key.task);
	if (by_call)
		key.class = class;
	if (by_error)
		key.error = -result;
	counts = table_at(&key);
	return counts ? counts : counts_at(SYSCOUNT_CLASSES, SYSCOUNT_OTHERS);
}

/* Counts a call that has ended; NULL where it is filtered. */
static __always_inline struct syscount_counts *count_call(u32 class, s64 result)
{
	struct syscount_counts *counts;

	if (error_filtered(result))
		return NULL;
	counts = find_counts(class, result);
	if (counts)
		count_add(&counts->count, 1);
	return counts;
}

/* A call returns; not -L. */
static __always_inline int returned(u32 class, s64 result)
{
	s64 zero = result;

	/* for the verifier it is any number now: of class_of()'s three ranges it would walk all that follows once for each */
	barrier_var(zero);
	class |= zero ^ result;
	/* a new task comes out of the call that made it, too */
	if (!result && is_among(fork_classes, SYSCOUNT_FORKS, class))
		return 0;
	if (task_filtered() || class_filtered(class))
		return 0;
	count_call(class, result);
	return 0;
}

static __always_inline int begin(u32 class)
{
	u64 task = bpf_get_current_task();
	struct call call = { .class = class };
	struct syscount_counts *counts;

	if (event_is_over() || is_among(exit_classes, SYSCOUNT_EXITS, class))
		return 0;
	if (task_filtered() || class_filtered(class))
		return 0;
	call.begun_ns = bpf_ktime_get_ns();
	if (!call_begin(&under_way, &task, &call))
		return 0;
	counts = counts_at(SYSCOUNT_CLASSES, class);
	if (counts)
		count_add(&counts->in_flight, 1);
	return 0;
}

/* Takes the current task's call out, into *ended; false where it had begun before the tool did, or is not wanted. */
static __always_inline bool take(struct call *ended)
{
	u64 task = bpf_get_current_task();
	struct call *call = bpf_map_lookup_elem(&under_way, &task);
	struct syscount_counts *counts;

	if (!call)
		return false;
	*ended = *call;
	call_end(&under_way, &task);
	counts = counts_at(SYSCOUNT_CLASSES, (u32)ended->class);
	if (counts)
		count_add(&counts->in_flight, -1);
	return true;
}

/* A call that seccomp refuses has not begun: it is counted, and has no time. */
static __always_inline int refuse(const struct refused *call)
{
	u32 class = class_of(call->nr, call->compat);
	struct syscount_counts *counts;

	if (event_is_over() || task_filtered() || class_filtered(class))
		return 0;
	counts = count_call(class, call->result);
	if (counts)
		count_add(&counts->untimed, 1);
	return 0;
}

SEC("kretprobe") SEES_WHOLE
int refused(struct pt_regs *ctx)
{
	struct refused call;

	return refused_read(&call, ctx) ? refuse(&call) : 0;
}

/*
 * A return whose call was not seen to begin does not count: it had begun before the tool did, or was refused.  Else the call that
 * began is the one that returns: x86 has forgotten rt_sigreturn's number by then.
 */
static __always_inline void end(s64 result)
{
	struct syscount_counts *counts;
	struct call call;

	if (!take(&call))
		return;
	counts = count_call((u32)call.class, result);
	if (counts)
		count_add(&counts->ns, bpf_ktime_get_ns() - call.begun_ns);
}

SEC("raw_tp/sys_exit")
int sys_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct sys_exit exit;

	if (event_is_over())
		return 0;
	exit = sys_exit_of(ctx);
	return returned(class_of(sys_exit_nr(&exit), sys_exit_is_compat(&exit)), ctx->args[1]);
}

/* Whether the current task is in a 32-bit call. */
static __always_inline bool current_is_compat(void)
{
	return have_task_pt_regs ? task_is_compat_btf((struct task_struct___part *)bpf_get_current_task_btf()) :
		task_is_compat(task_current());
}

SEC("raw_tp/sys_enter")
int sys_enter(struct bpf_raw_tracepoint_args *ctx)
{
	return begin(class_of(arch_plain_nr(ctx->args[1]), current_is_compat()));
}

SEC("raw_tp/sys_exit")
int sys_exit_timed(struct bpf_raw_tracepoint_args *ctx)
{
	if (!event_is_over())
		end(ctx->args[1]);
	return 0;
}

SEC("raw_tp/sched_process_exit") SEES_NO_EVENT
int process_exit(void *ctx)
{
	struct call call;

	if (!event_is_over())
		take(&call);
	return 0;
}

/* The same since 7.0. */
SEC("tp/raw_syscalls/sys_exit")
int TP_PROG(sys_exit_event, struct tp_raw_syscalls__sys_exit *ctx)
{
	if (event_is_over())
		return 0;
	return returned(class_of(arch_plain_nr(ctx->id), current_is_compat()), ctx->ret);
}

SEC("tp/raw_syscalls/sys_enter")
int TP_PROG(sys_enter_event, struct tp_raw_syscalls__sys_enter *ctx)
{
	return begin(class_of(arch_plain_nr(ctx->id), current_is_compat()));
}

SEC("tp/raw_syscalls/sys_exit")
int TP_PROG(sys_exit_timed_event, struct tp_raw_syscalls__sys_exit *ctx)
{
	if (!event_is_over())
		end(ctx->ret);
	return 0;
}

SEC("tp/sched/sched_process_exit") SEES_NO_EVENT
int TP_PROG(process_exit_event, void *ctx)
{
	struct call call;

	if (!event_is_over())
		take(&call);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
