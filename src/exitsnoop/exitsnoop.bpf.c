/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads and processes that end, seen where the kernel has stopped running them and their numbers are still theirs. */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define EVENTS_SIZE (128 * 1024)	/* exits are no flood, and zeroing and mapping 1 MB would be a third of the start */

#include "lib/bpf/errno.bpf.h"
#include "lib/bpf/task.bpf.h"
#include "lib/bpf/tool.bpf.h"
#include "exitsnoop.h"

#define SIGNAL_GROUP_EXIT 4	/* include/linux/sched/signal.h */

const volatile bool processes = true;	/* no --threads */

/* A process: its struct, and when it started, for the struct may be another process's soon. */
/* The threads that have not been released. */
struct signal_struct___threads {
	int nr_threads;
} __attribute__((preserve_access_index));

struct process {
	u64 signal;
	u64 start_time;
};

/*
 * The processes that were told of.  Two threads that end at the same time may both find that no other one is left,
 * so the first of them speaks.  Nobody knows which is the last to look in here, hence LRU: an entry matters for the
 * microseconds between the two.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);	/* allocated at the start, 0.4 million instructions for each 1024 */
	__type(key, struct process);
	__type(value, u8);
} ended SEC(".maps");

/*
 * Whether the task is the one that tells of the end of its process.  Where no other thread is left, one that has told has left its mark
 * before it went: only that is looked for, which takes a fifth of leaving one.
 */
static __always_inline bool tells_of_process(struct task_struct___part *task, struct task_struct___part *leader)
{
	struct signal_struct___part *signal = BPF_CORE_READ(task, signal);
	struct process process;
	u8 reported = 1;

	/* the threads that have not come to their end; this one is not among them any more */
	if (BPF_CORE_READ(signal, live.counter))
		return false;
	process.signal = (u64)signal;
	process.start_time = BPF_CORE_READ(leader, start_time);
	if (BPF_CORE_READ((struct signal_struct___threads *)signal, nr_threads) == 1)
		return !bpf_map_lookup_elem(&ended, &process);
	/* an int, whose upper half is anything before 6.4 (d7ba4cc900bf) */
	return (int)bpf_map_update_elem(&ended, &process, &reported, BPF_NOEXIST) != -EEXIST;
}

/* What the parent's wait(2) gets: exit_group(2) and signals set it for all, else it is the first thread's own. */
static __always_inline u32 process_status(struct task_struct___part *leader)
{
	if (BPF_CORE_READ(leader, signal, flags) & SIGNAL_GROUP_EXIT)
		return BPF_CORE_READ(leader, signal, group_exit_code);
	return BPF_CORE_READ(leader, exit_code);
}

/* Whether the end is not wanted, which the name of the thread that tells decides with -n. */
static __always_inline bool end_filtered(struct task_struct___part *teller, u64 id, u32 status)
{
	u64 comm[TASK_COMM_LEN / 8] = {};

	if (result_filtered(status ? -1 : 0))
		return true;
	if (filter.by_comm)
		bpf_probe_read_kernel(comm, sizeof(comm), &teller->comm);
	return task_filtered_as(id, (const char *)comm);
}

/* select is a constant: false where all threads are told of, with the numbers of the initial pid namespace. */
static __always_inline int ended_task(struct task_struct___part *task, bool select)
{
	u64 id = select ? task_pid_tgid() : bpf_get_current_pid_tgid();
	struct task_struct___part *teller = task;
	struct exit_event *event;
	u32 status;

	if (select && processes) {
		teller = BPF_CORE_READ(task, group_leader);
		if (!tells_of_process(task, teller))
			return 0;
		status = process_status(teller);
		/* the process has its first thread's number, name and age */
		id = (id & ~0xffffffffull) | id >> 32;
	} else {
		status = BPF_CORE_READ(task, exit_code);
	}
	if (select ? end_filtered(teller, id, status) : id >> 32 == filter.self)
		return 0;
	event = event_reserve_as(sizeof(*event), id);
	if (!event)
		return 0;
	bpf_probe_read_kernel(event->task.comm, sizeof(event->task.comm), &teller->comm);
	/* with the time that the machine was suspended */
	event->age_ns = bpf_ktime_get_boot_ns() - BPF_CORE_READ(teller, start_boottime);
	event->ppid = select ? task_parent_process(task) : BPF_CORE_READ(task, real_parent, tgid);
	event->status = status;
	event_submit(event);
	return 0;
}

SEC("raw_tp/sched_process_exit")
int BPF_PROG(process_exit, struct task_struct___part *task)
{
	return ended_task(task, true);
}

/* In its place where nothing has to be selected: less for libbpf and the verifier at each start. */
SEC("raw_tp/sched_process_exit")
int BPF_PROG(thread_exit, struct task_struct___part *task)
{
	return ended_task(task, false);
}

/* For kernels that let a program on the raw tracepoint be preempted, so that others' ends pass it by: here they do not. */
SEC("tp/sched/sched_process_exit")
int TP_PROG(task_exit, void *ctx)
{
	return ended_task(task_current(), true);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
