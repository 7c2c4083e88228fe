/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time that threads wait in futex(2), by lock and stack, from the begin of the system call to its end.  The programs are on raw
 * tracepoints; from 7.0 on these can be preempted, and the kernel skips them for the other tasks of the CPU: there the same is done on the
 * events, which are not preempted.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "futexctn.h"
#include "lib/bpf/call.bpf.h"
#include "lib/bpf/counts.bpf.h"
#include "lib/bpf/filter.bpf.h"
#include "lib/bpf/stack_key.bpf.h"
#include "lib/bpf/syscall_both.bpf.h"
#include "lib/bpf/table.bpf.h"

COUNTS(struct futexctn_counts, 1);
TABLE(struct futexctn_key, struct stack_value, FUTEXCTN_KEYS);

const volatile __u64 min_ns = 0;
const volatile __u64 max_ns = ~0ull;
const volatile __u32 ops_wanted = FUTEXCTN_OPS;
const volatile __u32 futex_calls[2][FUTEXCTN_CALLS] = {};	/* the second: of 32-bit programs */

/* include/uapi/linux/futex.h */
struct futex_waitv___user {
	u64 value;
	u64 address;
	u32 flags, reserved;
};

struct wait {
	u64 begun_ns;
	u64 lock;
	u64 futexes;		/* of futex_waitv(): where the process has the array of struct futex_waitv; else 0 */
	u64 may_restart;	/* a signal has ended a part of it, which is counted; restart_syscall() may go on with it */
};

CALLS(FUTEXCTN_WAITS, struct wait);

static __always_inline bool is_call(u64 nr, u32 compat, enum futexctn_call call)
{
	return (u32)nr == futex_calls[compat][call];
}

static __always_inline bool is_futex(u64 nr, u32 compat)
{
	return is_call(nr, compat, FUTEXCTN_FUTEX) || is_call(nr, compat, FUTEXCTN_TIME64) || is_call(nr, compat, FUTEXCTN_WAIT) ||
	       is_call(nr, compat, FUTEXCTN_WAITV);
}

/* The address of one of the futexes of futex_waitv(), which the kernel has just read; 0 where the page has gone meanwhile. */
static __always_inline u64 futex_of(u64 futexes, u64 index)
{
	const struct futex_waitv___user *futex = (const struct futex_waitv___user *)futexes + index;
	u64 address = 0;

	bpf_probe_read_user(&address, sizeof(address), &futex->address);
	return address;
}

/* A wait that a signal has ended for good leaves its entry. */
static __always_inline void drop_restart(u32 tid)
{
	struct wait *wait = bpf_map_lookup_elem(&calls, &tid);

	if (wait && wait->may_restart)
		call_end(&calls, &tid);
}

static __always_inline int call_begins(const struct sys_exit *at)
{
	u64 nr = sys_exit_nr(at), args[SYSCALL_ARGS], id, op;
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct wait wait = {};
	bool compat;

	if ((!is_futex(nr, 0) && !is_futex(nr, 1)) || event_is_over())
		return 0;
	compat = sys_exit_is_compat(at);
	if (!is_futex(nr, compat))
		return 0;
	sys_exit_args(args, at, compat);
	/* futex_wait() has a mask, as FUTEX_WAIT_BITSET */
	if (is_call(nr, compat, FUTEXCTN_WAIT))
		op = FUTEXCTN_OP_BITSET;
	else if (is_call(nr, compat, FUTEXCTN_WAITV))
		op = FUTEXCTN_OP_WAITV;
	else
		op = 1ull << (args[1] & FUTEXCTN_OP_MASK & 63);
	if (!(op & FUTEXCTN_OPS))
		return 0;
	drop_restart(tid);
	id = task_pid_tgid();
	if (task_filtered_as(id, NULL))
		return 0;
	if (!(op & ops_wanted)) {
		event_count_filtered();
		return 0;
	}
	if (op == FUTEXCTN_OP_WAITV)
		wait.futexes = args[0];
	else
		wait.lock = args[0];
	wait.begun_ns = bpf_ktime_get_ns();
	call_begin(&calls, &tid, &wait);
	return 0;
}

static __noinline int count_wait(void *ctx, u64 lock, u64 time_ns)
{
	struct futexctn_counts *counts = counts_at(1, 0);
	struct futexctn_key key = {};
	struct stack_value *value;

	if (!counts)
		return 0;
	if (time_ns < min_ns || time_ns > max_ns) {
		event_count_filtered();
		return 0;
	}
	key.lock = with_tag ? lock : 0;
	stack_key_set(ctx, &key.waiter, task_pid_tgid());
	value = table_at(&key);
	if (!value)
		value = &counts->others;
	count_add(&value->count, 1);
	count_add(&value->ns, time_ns);
	return 0;
}

#define FUTEX_WAITV_MAX 128		/* include/uapi/linux/futex.h */
#define ERESTART_RESTARTBLOCK 516	/* include/linux/errno.h */

static __always_inline int call_ends(void *ctx, const struct sys_exit *at, s64 result)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	u64 nr = sys_exit_nr(at), now_ns, time_ns;
	struct wait *wait;

	if ((!is_futex(nr, 0) && !is_futex(nr, 1) && !is_call(nr, 0, FUTEXCTN_RESTART) && !is_call(nr, 1, FUTEXCTN_RESTART)) ||
	    event_is_over())
		return 0;
	wait = bpf_map_lookup_elem(&calls, &tid);
	/* what is not there is filtered, lost, no wait, or begun before the tool was attached */
	if (!wait)
		return 0;
	/* a kernel that does not know the call, or the operation */
	if (result == -ENOSYS) {
		call_end(&calls, &tid);
		return 0;
	}
	now_ns = bpf_ktime_get_ns();
	time_ns = now_ns - wait->begun_ns;
	/* the result is the number of the one that woke it */
	if (wait->futexes)
		wait->lock = futex_of(wait->futexes, result > 0 && result < FUTEX_WAITV_MAX ? result : 0);
	/* a call that begins anew, or goes on by restart_syscall(), is one more */
	count_wait(ctx, wait->lock, time_ns);
	if (result == -ERESTART_RESTARTBLOCK) {
		wait->begun_ns = now_ns;
		wait->may_restart = 1;
	} else {
		call_end(&calls, &tid);
	}
	return 0;
}

SYSCALL_BOTH(futex, call_begins, call_ends)

/* A thread that ends takes what it left behind with it. */
static __always_inline void drop_all_of_thread(void)
{
	drop_restart((u32)bpf_get_current_pid_tgid());
	call_thread_exit(&calls);
}

CALL_THREAD_EXIT(drop_all_of_thread())

char LICENSE[] SEC("license") = "Dual BSD/GPL";
