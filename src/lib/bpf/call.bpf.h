/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls that one program sees begin and another one sees end.  What the second needs of the first is kept in a hash,
 * `calls`, by thread, and taken out on every return.
 *
 * A return that no program saw (a return probe has few slots: up to 5.10 one for each CPU, then ten or two for each CPU, for all
 * the calls that sleep at the same time) leaves its entry behind.  The thread's next call finds it, or the end of the thread,
 * and counts it as unmatched; so the hash never fills with calls of threads that are gone.  At the end of a run, entries that
 * are left belong to calls that have not ended yet or whose return was missed (lib/run/missed_calls tells which).
 *
 * A tool with such a hash has one more program:
 *
 *	CALL_THREAD_EXIT(call_thread_exit(&calls))
 */
#ifndef PROBELIGHT_CALL_BPF_H
#define PROBELIGHT_CALL_BPF_H

#include "atomic.bpf.h"
#include "errno.bpf.h"
#include "role.bpf.h"
#include "stats.bpf.h"
#include "tp_prog.bpf.h"

/*
 * The hash, by a key of that type.  An object that has it counts calls, not runs of its programs, as what was missed
 * (lib/run/missed_calls).
 */
#define CALLS_BY(key_type, calls_max, call_type)                                                             \
	struct {                                                                                             \
		__uint(type, BPF_MAP_TYPE_HASH);                                                             \
		__uint(max_entries, calls_max);                                                              \
		__type(key, key_type);                                                                       \
		__type(value, call_type);                                                                    \
	} calls SEC(".maps")

/* That of a tool with one call at a time for each thread.  The key is the thread, as the initial pid namespace counts. */
#define CALLS(calls_max, call_type) CALLS_BY(__u32, calls_max, call_type)

/*
 * Takes the entry under key, if there is one: of a call whose return no program saw.  Also for when the thread begins a call
 * that a filter drops: that call's return must not take the entry for its own.  Returns whether there was one.
 */
static __always_inline bool call_drop_stale(void *calls, const void *key)
{
	/* hardly ever is there one, and looking is half the price of deleting */
	if (!bpf_map_lookup_elem(calls, key) || bpf_map_delete_elem(calls, key))
		return false;
	atomic_add(&event_stats_slot()->in_flight, -1);
	if (!event_is_over())
		event_count_unmatched();
	return true;
}

/*
 * Keeps a call, in a hash, under key, which begins with the thread.  Where the hash is full the event is counted as lost, and
 * false returned.
 */
static __always_inline bool call_begin(void *calls, const void *key, const void *call)
{
	/* int: before 6.4 a map's function is called directly, and leaves the upper half of the register 0 */
	int err = bpf_map_update_elem(calls, key, call, BPF_NOEXIST);

	if (err == -EEXIST) {
		call_drop_stale(calls, key);
		err = bpf_map_update_elem(calls, key, call, BPF_NOEXIST);
	}
	if (err) {
		event_count_no_room();
		return false;
	}
	atomic_add(&event_stats_slot()->in_flight, 1);
	return true;
}

/* The call under key has ended, or is given up: its entry goes. */
static __always_inline void call_end(void *calls, const void *key)
{
	if (!bpf_map_delete_elem(calls, key))
		atomic_add(&event_stats_slot()->in_flight, -1);
}

/* A thread that ends has no call under way.  Returns whether an entry of it was left. */
static __always_inline bool call_thread_exit(void *calls)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();

	return call_drop_stale(calls, &tid);
}

/*
 * The program that drops what a thread leaves behind, by an expression.  There are two, and run/tool.c loads one.  The raw tracepoint is
 * left at once: an event of perf waits for a grace period when it is closed, after those of the tool's probes.  From 7.0 on a program on
 * it can be preempted, and the kernel then skips the program for other threads (16 of 90 that ended at the same time, on 7.3).
 */
#define CALL_THREAD_EXIT(drop)                         \
	SEC("raw_tp/sched_process_exit") SEES_NO_EVENT \
	int thread_exit_raw(void *ctx)                 \
	{                                              \
		drop;                                  \
		return 0;                              \
	}                                              \
	SEC("tp/sched/sched_process_exit") SEES_NO_EVENT \
	int TP_PROG(thread_exit, void *ctx)            \
	{                                              \
		drop;                                  \
		return 0;                              \
	}

#endif
