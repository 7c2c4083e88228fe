/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types that the BPF programs and the user side share.  Fixed-width types only; no padding that is not named.
 * A BPF program includes vmlinux.h before, which has __u32, __u64 ….
 */
#ifndef PROBELIGHT_EVENT_H
#define PROBELIGHT_EVENT_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#include "event_counts.h"

#define TASK_COMM_LEN 16	/* include/linux/sched.h; the same on every kernel */

/* Every event starts with the task that caused it. */
struct event_task {
	__u64 ts_ns;		/* CLOCK_MONOTONIC */
	__u32 pid;		/* the process, in the caller's pid namespace; 0 where the task is not in it */
	__u32 tid;		/* the thread, likewise */
	__u32 uid;		/* the real one, as the initial user namespace has it */
	__u32 reserved;
	char comm[TASK_COMM_LEN];
	__u64 cgroup_id;	/* of its cgroup v2; 0 unless the filter wants it */
};

/* In event_task.reserved: nobody knows which task the event is of, the other members but ts_ns say nothing. */
#define TASK_UNKNOWN 1
/* There too: nobody knows the task's user and cgroup. */
#define TASK_NO_USER 2

/* What programs know to have happened without seeing it. */
enum event_unseen {
	EVENT_UNSEEN_NONE,
	EVENT_UNSEEN_SUPPRESSED,	/* a tracer or user dispatch suppressed a system call (bpf/suppressed.bpf.h) */
	EVENT_UNSEEN_AIO,		/* io_submit(2), whose requests are not probed (bpf/file_requests.bpf.h) */
};

/*
 * The counters of what was not delivered, one slot a CPU.  A slot is written on a loss, a drop, or the begin and end of a call
 * only, by its own CPU; events may nest, so the counts are atomic.
 */
#define EVENT_STATS_SLOTS 64	/* a power of two; CPUs beyond it share a slot */
#define EVENT_STATS_OTHERS_SLOTS (EVENT_STATS_SLOTS / 2)
struct event_stats {
	__u64 lost;		/* no room in the ring buffer */
	__u64 filtered;		/* dropped by -p, -t, -u, -n, -c or -x */
	__u64 no_room;		/* lost as well: no room in a table of the programs */
	__u64 unmatched;		/* calls that no program saw begin, or saw end */
	__u64 in_flight;	/* calls that began minus those that ended; one CPU's part may be negative */
	union {
		__u64 wake_ns;	/* of the last slot: when the reader was last woken */
		__u64 others;	/* of the first EVENT_STATS_OTHERS_SLOTS: counted events (event_counts.h) whose key found no room */
	};
	__u64 closed;		/* of the last slot: the run is over, what comes now is no event; set by the user side */
	union {
		__u64 cgroup_id;	/* of the last slot: the cgroup of -c, if filter.cgroup_level; a cache line for each CPU */
		__u64 unseen;		/* of the first slot: enum event_unseen, once there was such an event */
	};
};

#define TASK_FILTER_IDS_MAX 64

/* Which tasks' events are wanted.  Frozen rodata: what is not asked for costs no instruction. */
struct task_filter {
	__u32 pids_count;
	__u32 tids_count;
	__u32 pids[TASK_FILTER_IDS_MAX];
	__u32 tids[TASK_FILTER_IDS_MAX];
	__u32 self;		/* the tool's own process: what it does itself is no event */
	__u32 uid;
	__u8 by_uid;
	__u8 by_comm;
	__u8 by_cgroup;
	__u8 failed_only;	/* -x: result_filtered() */
	__u8 active;		/* any of -p, -t, -u, -n, -c */
	__u8 wants_cgroup;	/* events have their task's cgroup */
	__u8 wants_uid;		/* and its user; asked for only where it is shown */
	__u8 pidns_below;	/* tasks in namespaces below the caller's have their numbers, too: it takes BTF */
	__u64 comm[TASK_COMM_LEN / 8];		/* -n: these bytes of the name … */
	__u64 comm_mask[TASK_COMM_LEN / 8];	/* … under this mask ("ba*" leaves the tail open) */
	__u64 cgroup_id;	/* -c, for tasks that are not the current one (other.bpf.h) */
	__u32 cgroup_level;	/* how deep it lies; 0: by the map `cgroup`, else by event_stats' id, which follows a path */
	__u8 follows;		/* -f: also what the processes of pids make later (children.bpf.h) */
	__u8 reserved[3];
	__u64 own_task;		/* bpf_get_current_task() of the tool, where it is all that is filtered; 0: by self */
	__u64 pidns_dev;	/* the caller's pid namespace, 0 and 0 for the initial one */
	__u64 pidns_ino;
};

/*
 * The reader is woken by the first event after a quiet spell and then at most once in this time: a wake-up for each
 * event costs seven times the event itself.  While rows flow the reader looks by itself (READER_NAP_MS in reader.c).
 */
#define EVENT_WAKE_INTERVAL_NS (5 * 1000 * 1000ULL)

#endif
