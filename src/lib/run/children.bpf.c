/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * -f: a new process or thread is followed if the process that makes it is.  Without -f, of a tool that asks for it
 * (children.h), only a new thread is.
 *
 * The kernel reports a new task in copy_process(), before it runs.  The event is a trace event and not the raw tracepoint,
 * because kernels from 7.0 on may preempt a program on the latter and skip it for other tasks on that CPU.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "lib/bpf/atomic.bpf.h"
#include "lib/bpf/children.bpf.h"
#include "lib/bpf/pidns.bpf.h"
#include "lib/bpf/tp_prog.bpf.h"

#define CLONE_THREAD 0x00010000	/* include/uapi/linux/sched.h */

struct tp_task__task_newtask {
	__s32 pid;		/* the thread's number in the initial pid namespace */
	__u64 clone_flags;
} __attribute__((preserve_access_index));

/*
 * Whether the current process is followed.  In a pid namespace the user side does not know the bits of the processes of -p.
 */
static __always_inline bool current_is_followed(void)
{
	if (is_followed(bpf_get_current_pid_tgid() >> 32))
		return true;
	return filter.pidns_ino && task_filter_has(filter.pids, filter.pids_count, task_pid_tgid() >> 32);
}

SEC("tp/task/task_newtask")
int TP_PROG(task_newtask, struct tp_task__task_newtask *ctx)
{
	__u64 *word = followed_word(ctx->pid), bit = followed_bit(ctx->pid);
	bool follows = current_is_followed() && (filter.follows || ctx->clone_flags & CLONE_THREAD);

	/*
	 * Other tasks share the word, so the change is atomic.  Nobody else changes this bit: a number has one owner at a
	 * time.  So adding or subtracting the bit cannot carry.  (Programs have an atomic "or" only since 5.12.)
	 */
	if (word && !(*(volatile __u64 *)word & bit) == follows)
		atomic_add(word, follows ? bit : -bit);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
