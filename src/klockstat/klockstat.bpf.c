/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time that tasks wait for the kernel's locks.  lock/contention_begin fires where a lock is not free, contention_end when the waiter
 * has it, or gives up (since 5.19).  A mutex begins again whenever its waiter goes from spinning to sleeping, and ends once: the first
 * begin counts.  Older kernels have the functions in which mutexes and semaphores are waited for.
 *
 * With --hold it is the time that tasks hold locks: from the entry of the function that takes one, or from the end of a wait for it, to
 * the entry of the one that releases it.  No return is probed, so a call that is refused (EINTR) shows by its wait alone.
 *
 * The stack is taken at the begin, in the waiter's own time: at the end it would hold the lock.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "lib/bpf/call.bpf.h"
#include "lib/bpf/counts.bpf.h"
#include "lib/bpf/entries.bpf.h"
#include "lib/bpf/filter.bpf.h"
#include "lib/bpf/stack.bpf.h"
#include "lib/bpf/table.bpf.h"
#include "lib/bpf/tp_prog.bpf.h"
#include "klockstat.h"

COUNTS(struct klock_counts, 1);
TABLE(struct klock_key, struct stack_longest, KLOCK_KEYS);

const volatile bool no_user = true;
const volatile __u64 min_ns = 0;
const volatile __u64 max_ns = ~0ull;

struct wait {
	struct klock_key key;
	u64 since_ns;
};

/* Of locks that tasks sleep for: a task waits for one of them at a time. */
CALLS(KLOCK_WAITS, struct wait);

/* Of locks that CPUs spin for: an interrupt may spin for another one meanwhile. */
struct spins {
	struct wait waits[KLOCK_SPINS];		/* key.lock: 0: this one is free */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct spins);
} spinning SEC(".maps");

struct tp_lock__contention_begin {
	void *lock_addr;
	u32 flags;
} __attribute__((preserve_access_index));

struct tp_lock__contention_end {
	void *lock_addr;
	int ret;
} __attribute__((preserve_access_index));

const volatile bool hold = false;

/* Addresses of the functions by enum klock_function, for the program on all of them. */
const volatile __u64 function_at[KLOCK_FUNCTIONS] = {};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, KLOCK_HOLDS);
	__type(key, struct klock_held);
	__type(value, struct wait);
} holds SEC(".maps");

static __always_inline struct wait *spin_of(u64 lock)
{
	u32 first = 0;
	struct spins *spins = bpf_map_lookup_elem(&spinning, &first);

	u32 index = KLOCK_SPINS;

	if (!spins)
		return NULL;
#pragma unroll
	for (u32 i = 0; i < KLOCK_SPINS; i++)
		if (spins->waits[i].key.lock == lock)
			index = i;
	/* a number, not one of four pointers, which clang would select without a branch: the verifier cannot follow that */
	asm volatile("" : "+r"(index));
	return index < KLOCK_SPINS ? &spins->waits[index] : NULL;
}

static __always_inline void fill(void *ctx, struct wait *wait, u64 lock, u32 flags)
{
	struct stack_key *waiter = &wait->key.waiter;

	wait->since_ns = bpf_ktime_get_ns();
	wait->key.lock = lock;
	waiter->tag = flags;
	waiter->pid = task_pid_tgid() >> 32;
	bpf_get_current_comm(waiter->comm, sizeof(waiter->comm));
	waiter->hashes[STACK_KERNEL] = stack_take(ctx, STACK_KERNEL, waiter);
	waiter->hashes[STACK_USER] = no_user ? 0 : stack_take(ctx, STACK_USER, waiter);
}

static __always_inline void begin_spin(void *ctx, u64 lock, u32 flags)
{
	struct wait *spin = spin_of(0);

	if (!spin) {
		event_count_no_room();
		return;
	}
	fill(ctx, spin, lock, flags);
	count_begin();
}

static __always_inline int begin(void *ctx, u64 lock, u32 flags)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct wait *waits, wait = {};

	/* who is not wanted is counted when the wait ends: it may begin several times */
	if (event_is_over() || task_pid_tgid() >> 32 == filter.self || !task_wanted(task_pid_tgid(), NULL))
		return 0;
	if ((flags & (KLOCK_SPIN | KLOCK_MUTEX)) == KLOCK_SPIN) {
		begin_spin(ctx, lock, flags);
		return 0;
	}
	waits = bpf_map_lookup_elem(&calls, &tid);
	/* a reader or writer of a real-time kernel's rwsem also waits for an rtmutex in it */
	if (waits && (waits->key.lock == lock || (waits->key.waiter.tag & KLOCK_RT && waits->key.waiter.tag & (KLOCK_READ | KLOCK_WRITE))))
		return 0;
	if (hold)
		wait.key.lock = lock;
	else
		fill(ctx, &wait, lock, flags & ~KLOCK_SPIN);
	call_begin(&calls, &tid, &wait);
	return 0;
}

static __always_inline void add_wait(struct wait *wait, u64 now_ns)
{
	/* two CPUs' clocks may differ a little where they are not synchronized */
	u64 time = (s64)(now_ns - wait->since_ns) < 0 ? 0 : now_ns - wait->since_ns;
	struct stack_longest *longest;
	struct klock_counts *counts;
	struct stack_value *value;

	if (time < min_ns || time > max_ns) {
		event_count_filtered();
		return;
	}
	longest = table_at(&wait->key);
	if (longest) {
		/* most waiters have the lock now: no other one writes here; readers may, and the longer wait be overwritten */
		if (longest->max_ns < time)
			longest->max_ns = time;
		value = &longest->value;
	} else {
		counts = counts_at(1, 0);
		if (!counts)
			return;
		value = &counts->others;
	}
	count_add(&value->count, 1);
	/* of an addition of 0 clang makes an "or", which 5.10 does not know */
	if (time)
		count_add(&value->ns, time);
}

/* Who has waited for a lock has it now, and not since it asked for it; or has given up. */
static __always_inline void hold_after_wait(u32 tid, u64 lock, bool has_failed)
{
	struct klock_held held = { .tid = tid, .lock = lock };
	struct wait *wait = bpf_map_lookup_elem(&holds, &held);

	if (wait && has_failed)
		call_end(&holds, &held);
	else if (wait)
		wait->since_ns = bpf_ktime_get_ns();
}

/* lock: 0 where it is not known, but which task waited is. */
static __always_inline int end(u64 lock, bool has_failed)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	u64 now_ns = bpf_ktime_get_ns();
	struct wait *wait;

	if (event_is_over())
		return 0;
	if (hold) {
		wait = lock ? NULL : bpf_map_lookup_elem(&calls, &tid);
		if (wait) {
			hold_after_wait(tid, wait->key.lock, has_failed);
			call_end(&calls, &tid);
		} else if (lock) {
			hold_after_wait(tid, lock, has_failed);
		}
		return 0;
	}
	wait = lock ? spin_of(lock) : NULL;
	if (wait) {
		add_wait(wait, now_ns);
		wait->key.lock = 0;
		count_end();
		return 0;
	}
	wait = bpf_map_lookup_elem(&calls, &tid);
	if (wait && (!lock || wait->key.lock == lock)) {
		add_wait(wait, now_ns);
		call_end(&calls, &tid);
		return 0;
	}
	/* not wanted, lost, or begun before the tool was attached */
	task_filtered();
	return 0;
}

SEC("raw_tp/contention_begin") SEES_BEGIN
int begin_raw(u64 *ctx)
{
	return begin(ctx, ctx[0], ctx[1]);
}

SEC("raw_tp/contention_end") SEES_END
int end_raw(u64 *ctx)
{
	return end(ctx[0], (int)ctx[1] < 0);
}

/* From 7.0 on a raw program can be preempted, and misses others. */
SEC("tp/lock/contention_begin") SEES_BEGIN
int TP_PROG(begin_record, struct tp_lock__contention_begin *ctx)
{
	return begin(ctx, (u64)ctx->lock_addr, ctx->flags);
}

SEC("tp/lock/contention_end") SEES_END
int TP_PROG(end_record, struct tp_lock__contention_end *ctx)
{
	return end((u64)ctx->lock_addr, ctx->ret < 0);
}

/* Before 5.19: the functions in which a task waits.  The programs share their code. */
static __noinline int begin_shared(void *ctx, u64 lock, u32 flags)
{
	return begin(ctx, lock, flags);
}

static __noinline int end_shared(bool has_failed)
{
	return end(0, has_failed);
}

/* An int of a mutex's function; a pointer of a semaphore's, or an error in its place. */
#define HAS_FAILED(flags, result) ((flags) == KLOCK_MUTEX ? (int)(result) < 0 : (u64)(result) >= (u64)-4095)

#define WAIT_PROGRAMS(name, flags)                                                           \
	SEC("kprobe")                                                                        \
	int name##_enter(struct pt_regs *ctx)                                                \
	{                                                                                    \
		return begin_shared(ctx, PT_REGS_PARM1(ctx), flags);                         \
	}                                                                                    \
	SEC("kretprobe")                                                                     \
	int name##_exit(struct pt_regs *ctx)                                                 \
	{                                                                                    \
		return end_shared(HAS_FAILED(flags, PT_REGS_RC(ctx)));                       \
	}

WAIT_PROGRAMS(mutex, KLOCK_MUTEX)
WAIT_PROGRAMS(mutex_interruptible, KLOCK_MUTEX)
WAIT_PROGRAMS(mutex_killable, KLOCK_MUTEX)
WAIT_PROGRAMS(read, KLOCK_READ)
WAIT_PROGRAMS(write, KLOCK_WRITE)

/* ---- --hold */

static __always_inline int take(void *ctx, u64 lock, u32 flags)
{
	struct klock_held held = { .tid = (u32)bpf_get_current_pid_tgid(), .lock = lock };
	struct wait wait = {};

	if (event_is_over() || task_pid_tgid() >> 32 == filter.self || !task_wanted(task_pid_tgid(), NULL))
		return 0;
	fill(ctx, &wait, lock, flags);
	call_begin(&holds, &held, &wait);
	return 0;
}

static __always_inline int release(u64 lock)
{
	struct klock_held held = { .tid = (u32)bpf_get_current_pid_tgid(), .lock = lock };
	struct wait *wait;

	if (event_is_over())
		return 0;
	wait = bpf_map_lookup_elem(&holds, &held);
	if (!wait) {
		/* not wanted, lost, or taken before the tool was attached or by a function that is not probed */
		task_filtered();
		return 0;
	}
	add_wait(wait, bpf_ktime_get_ns());
	call_end(&holds, &held);
	return 0;
}

/* A function each for the verifier: no program is twice as long for that. */
static __noinline int take_shared(void *ctx, u64 lock, u32 flags)
{
	return take(ctx, lock, flags);
}

static __noinline int release_shared(u64 lock)
{
	return release(lock);
}

#define TAKE_PROGRAM(function, flags)                                \
	SEC("kprobe/" #function) SEES_BEGIN                          \
	int hold_##function(struct pt_regs *ctx)                     \
	{                                                            \
		return take_shared(ctx, PT_REGS_PARM1(ctx), flags);  \
	}

KLOCK_TAKES(TAKE_PROGRAM)

#define RELEASE_PROGRAM(function)                                    \
	SEC("kprobe/" #function) SEES_END                            \
	int hold_##function(struct pt_regs *ctx)                     \
	{                                                            \
		release_shared(PT_REGS_PARM1(ctx));                  \
		if (KLOCK_##function == KLOCK_downgrade_write)       \
			take_shared(ctx, PT_REGS_PARM1(ctx), KLOCK_READ); \
		return 0;                                            \
	}

KLOCK_RELEASES(RELEASE_PROGRAM)

/* Where one link takes them all. */
SEC("kprobe.multi") SEES_WHOLE
int hold_any(struct pt_regs *ctx)
{
	u64 at = bpf_get_func_ip(ctx), lock = PT_REGS_PARM1(ctx);
	u32 flags = 0;

#define FLAGS_OF(function, its_flags)              \
	if (is_entry_of(at, function_at[KLOCK_##function])) \
		flags = its_flags;
	KLOCK_TAKES(FLAGS_OF)
	if (is_entry_of(at, function_at[KLOCK_downgrade_write]))
		flags = KLOCK_READ;
	if (!flags || is_entry_of(at, function_at[KLOCK_downgrade_write]))
		release(lock);
	return flags ? take(ctx, lock, flags) : 0;
}

/* A thread that ends takes what it left behind with it. */
CALL_THREAD_EXIT(call_thread_exit(&calls))

char LICENSE[] SEC("license") = "Dual BSD/GPL";
