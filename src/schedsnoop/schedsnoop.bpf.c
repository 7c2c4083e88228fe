/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every switch of a CPU from one task to another.  The program runs as the task that leaves, so that this one's
 * process, user and cgroup are known; of the one that comes, the record has the thread's number and its name.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#define EVENTS_SIZE (256 * 1024)	/* zeroing and mapping 1 MB would be a third of the time that it takes to start */

#include "lib/bpf/tool.bpf.h"
#include "schedsnoop.h"

#define CLONE_THREAD 0x00010000
#define STATE_GONE 0x30		/* X or Z: exit_state is set, the task does not come back */

/* Only the fields that are read, as ctxgen writes them. */
struct tp_sched__sched_switch {
	__s32 prev_prio;			/* at 28: int */
	__s64 prev_state;			/* at 32: long */
	char next_comm[16];			/* at 40: char[16] */
	__s32 next_pid;				/* at 56: pid_t */
	__s32 next_prio;			/* at 60: int */
} __attribute__((preserve_access_index));

struct tp_task__task_newtask {
	__s32 pid;				/* at 8: pid_t */
	__u64 clone_flags;			/* at 32: unsigned long */
} __attribute__((preserve_access_index));

/*
 * The threads that the caller may ask for, by the number that the initial pid namespace gives them: for -p, those of
 * the processes; in another pid namespace, all that were seen.  A thread is learned when it leaves a CPU, or is
 * created; the user side adds those of -p that are there already.  In a full map an unknown thread is seen on its way
 * out only.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, THREADS_MAX);
	__type(key, u32);
	__type(value, struct thread_ids);
} threads SEC(".maps");

/* --trace: struct cpu_switches of each CPU, which only the CPU itself writes. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);		/* set before it is loaded */
	__type(key, u32);
	__uint(value_size, CPU_SWITCHES_SIZE);
} cpus SEC(".maps");

static __always_inline bool threads_needed(void)
{
	return (filter.pids_count && !filter.follows) || filter.pidns_ino;
}

static __always_inline void forget_thread(u32 tid)
{
	bpf_map_delete_elem(&threads, &tid);
}

static __always_inline void learn_thread(u32 tid, u64 id)
{
	struct thread_ids ids = { .pid = id >> 32, .tid = (u32)id };
	struct thread_ids *known = bpf_map_lookup_elem(&threads, &tid);

	if (!known || known->pid != ids.pid || known->tid != ids.tid)
		bpf_map_update_elem(&threads, &tid, &ids, BPF_ANY);
}

/* The one that comes: its numbers as far as they are known. */
static __always_inline struct thread_ids next_thread(u32 tid)
{
	struct thread_ids ids = { .tid = tid };
	struct thread_ids *known;

	known = bpf_map_lookup_elem(&threads, &tid);
	if (known)
		ids = *known;
	else if (filter.pidns_ino)
		ids.tid = 0;
	return ids;
}

/* Whether the process of the one that comes passes -p and -f. */
static __always_inline bool next_process_wanted(const struct thread_ids *next, const struct tp_sched__sched_switch *ctx)
{
	return filter.follows ? followed_wanted(next->pid, ctx->next_pid) : pid_wanted(next->pid);
}

/* -u and -c ask for the one that leaves; -p, -t and -n for either. */
static __always_inline bool next_wanted(const struct thread_ids *next, const struct tp_sched__sched_switch *ctx)
{
	u64 comm[TASK_COMM_LEN / 8] = {};

	if (filter.by_uid || filter.by_cgroup || !next_process_wanted(next, ctx) || !tid_wanted(next->tid))
		return false;
	if (!filter.by_comm)
		return true;
	bpf_probe_read_kernel_str(comm, sizeof(comm), ctx->next_comm);
	return comm_wanted((const char *)comm);
}

/* Keeps what is known of the one that leaves. */
static __always_inline void note_thread(u64 id, s64 state)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();

	if (state & STATE_GONE)
		forget_thread(tid);
	else if (id && (filter.pidns_ino || pid_wanted(id >> 32)))
		learn_thread(tid, id);
}

/*
 * Whether the caller asks for this switch; else it is counted as filtered.  The tool's own side of a switch is never asked for.
 */
static __always_inline bool switch_wanted(const struct thread_ids *next, u64 id, const struct tp_sched__sched_switch *ctx)
{
	bool own_leaves = id >> 32 == filter.self, own_comes = next->tid == filter.self;

	if ((!own_leaves && task_wanted(id, NULL)) || (!own_comes && next_wanted(next, ctx)))
		return true;
	if (!own_leaves && !own_comes)
		event_count_filtered();
	return false;
}

/* Whether the caller names tasks: their switches are shown whole, those with the tool too. */
static __always_inline bool tasks_named(void)
{
	return filter.pids_count || filter.tids_count || filter.by_comm;
}

static __always_inline struct cpu_switches *switches_of_cpu(void)
{
	u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&cpus, &cpu);
}

/* Whether the tool is one of the two. */
static __always_inline bool is_own(u64 id, const struct thread_ids *next)
{
	return id >> 32 == filter.self || next->tid == filter.self;
}

/*
 * The tool's own switches do not wake it: it would not sleep any more.  A record that nobody was woken for is read with the next one.
 */
static __always_inline void submit(struct sched_event *event, u64 id, const struct thread_ids *next, bool trace)
{
	if (trace && is_own(id, next))
		bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
	else
		event_submit(event);
}

/* Constants: select is false where nothing is filtered and pids are those of the initial namespace; trace is true for --trace. */
static __always_inline int switched(struct tp_sched__sched_switch *ctx, bool select, bool trace)
{
	struct thread_ids next = { .tid = ctx->next_pid };
	u64 id = select ? task_pid_tgid() : bpf_get_current_pid_tgid();
	struct cpu_switches *switches = NULL;
	struct sched_event *event;

	if (trace) {
		switches = switches_of_cpu();
		if (!switches || event_is_over())
			return 0;
		switches->number++;
	}
	if (select && threads_needed()) {
		next = next_thread(next.tid);
		note_thread(id, ctx->prev_state);
	}
	/* The tool has one thread.  Its own switches are left out, as each row would make the next one; of a timeline they are a part. */
	if (!trace && is_own(id, &next) && !(select && tasks_named()))
		return 0;
	if (select && !switch_wanted(&next, id, ctx))
		return 0;
	event = event_reserve_as(trace ? sizeof(*event) : offsetof(struct sched_event, seen), id);
	if (!event) {
		if (trace && !event_is_over())
			switches->lost++;
		return 0;
	}
	/* interrupts are off: these are still of this switch */
	if (trace)
		event->seen = *switches;
	event->prev_state = ctx->prev_state;
	event->prev_prio = ctx->prev_prio;
	event->next_prio = ctx->next_prio;
	event->next_tid = next.tid;
	event->cpu = bpf_get_smp_processor_id();
	bpf_probe_read_kernel(event->next_comm, sizeof(event->next_comm), ctx->next_comm);
	submit(event, id, &next, trace);
	return 0;
}

SEC("tp/sched/sched_switch")
int TP_PROG(sched_switch, struct tp_sched__sched_switch *ctx)
{
	return switched(ctx, true, false);
}

/*
 * In its place where nothing has to be selected: a third of the instructions, which are 0.4 million less for the
 * verifier at each start.
 */
SEC("tp/sched/sched_switch")
int TP_PROG(sched_switch_all, struct tp_sched__sched_switch *ctx)
{
	return switched(ctx, false, false);
}

SEC("tp/sched/sched_switch")
int TP_PROG(sched_switch_trace, struct tp_sched__sched_switch *ctx)
{
	return switched(ctx, true, true);
}

/* The threads that processes of -p make; loaded for it alone. */
SEC("tp/task/task_newtask")
int TP_PROG(task_newtask, struct tp_task__task_newtask *ctx)
{
	u64 id = task_pid_tgid();

	/* runs as the creator; what number the new thread has in a pid namespace is not in the record */
	if (ctx->clone_flags & CLONE_THREAD && !filter.pidns_ino && pid_wanted(id >> 32))
		learn_thread(ctx->pid, (id >> 32 << 32) | (u32)ctx->pid);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
