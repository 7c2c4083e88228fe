/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes killed because memory ran out.  oom_kill_process(oc, message) has what was wanted, and against which limit; it calls
 * __oom_kill_process() for each victim (several where the cgroup is killed as a group), which marks the thread that holds the
 * memory, mark_oom_victim(task).  The kernel's tracepoint is in there, and tells no more than a pid on some kernels.
 *
 * A mark alone is no kill: a task that is ending anyway is marked too, so that it may use the reserves.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define EVENTS_SIZE (128 * 1024)	/* these are rare */

#include "lib/bpf/cgroup.bpf.h"
#include "lib/bpf/other.bpf.h"
#include "lib/bpf/task.bpf.h"
#include "lib/bpf/tool.bpf.h"
#include "oomkill.h"

struct mem_cgroup___part {
	struct cgroup_subsys_state___part css;
} __attribute__((preserve_access_index));

struct oom_control___part {
	struct mem_cgroup___part *memcg;
	u32 gfp_mask;
	int order;
	unsigned long totalpages;
	enum oom_constraint constraint;
} __attribute__((preserve_access_index));

struct signal_struct___oom {
	void *oom_mm;
	u16 oom_score_adj;
} __attribute__((preserve_access_index));

struct task_struct___oom {
	struct cred___part *real_cred;
	struct signal_struct___oom *signal;
} __attribute__((preserve_access_index));

/* Pages by kind, enum mm_counter: counters of their own until 6.2 (f1a7941243c1), then per-CPU ones with a sum. */
enum { FILE_PAGES, ANON_PAGES, SWAP_PAGES, SHMEM_PAGES };

struct mm_struct___before_6_2 {
	struct {
		atomic_long_t count[4];
	} rss_stat;
} __attribute__((preserve_access_index));

struct percpu_counter___part {
	s64 count;
} __attribute__((preserve_access_index));

struct mm_struct___since_6_2 {
	struct percpu_counter___part rss_stat[4];
} __attribute__((preserve_access_index));

struct mm_struct___oom {
	unsigned long total_vm;
	atomic_long_t pgtables_bytes;
} __attribute__((preserve_access_index));

/*
 * The kill under way.  The kernel makes one at a time on the machine (oom_lock), so there is one.
 */
struct {
	struct oom_control___part *control;	/* on the killer's stack */
	__u32 killer;
	bool kills;				/* the next mark is of a victim */
} kill = {};

SEC("kprobe")
int oom_kill_process(struct pt_regs *ctx)
{
	kill.control = (struct oom_control___part *)PT_REGS_PARM1(ctx);
	kill.killer = (u32)bpf_get_current_pid_tgid();
	kill.kills = false;
	return 0;
}

SEC("kprobe")
int kill_victim(struct pt_regs *ctx)
{
	kill.kills = true;
	return 0;
}

#define RSS(mm, kind)                                                                                             \
	(bpf_core_field_exists(struct mm_struct___before_6_2, rss_stat.count) ?                                   \
		 (s64)BPF_CORE_READ((struct mm_struct___before_6_2 *)(mm), rss_stat.count[kind].counter) :        \
		 (s64)BPF_CORE_READ((struct mm_struct___since_6_2 *)(mm), rss_stat[kind].count))

/* A counter may be below 0 for a moment. */
static __always_inline u64 pages(s64 count)
{
	return count < 0 ? 0 : count;
}

static __always_inline void read_memory(struct oom_event *event, struct task_struct___part *task)
{
	struct mm_struct___oom *mm = (struct mm_struct___oom *)BPF_CORE_READ(task, mm);

	event->vm_pages = BPF_CORE_READ(mm, total_vm);
	event->anon_pages = pages(RSS(mm, ANON_PAGES));
	event->file_pages = pages(RSS(mm, FILE_PAGES));
	event->shmem_pages = pages(RSS(mm, SHMEM_PAGES));
	event->swap_pages = pages(RSS(mm, SWAP_PAGES));
	event->pgtables_bytes = BPF_CORE_READ(mm, pgtables_bytes.counter);
}

static __always_inline void read_limit(struct oom_event *event)
{
	struct oom_control___part *control = kill.control;
	struct mem_cgroup___part *memcg = BPF_CORE_READ(control, memcg);

	event->total_pages = BPF_CORE_READ(control, totalpages);
	event->gfp = BPF_CORE_READ(control, gfp_mask);
	event->order = BPF_CORE_READ(control, order);
	event->limit = event->order == -1 ? OOM_SYSRQ : BPF_CORE_READ(control, constraint);
	event->names_size = 0;
	event->names_are_cut = 0;
	if (memcg)
		event->names_are_cut = !cgroup_names(event->names, &event->names_size, BPF_CORE_READ(memcg, css.cgroup));
}

SEC("kprobe")
int mark_victim(struct pt_regs *ctx)
{
	struct task_struct___part *task = (struct task_struct___part *)PT_REGS_PARM1(ctx);
	struct oom_event *event;

	if (!kill.kills || kill.killer != (u32)bpf_get_current_pid_tgid())
		return 0;
	kill.kills = false;
	/* of a group the first victim is killed twice, and was marked then */
	if (BPF_CORE_READ((struct task_struct___oom *)task, signal, oom_mm))
		return 0;
	/* the filters are for the victim; who ran out of memory is not asked, nor whether that was the tool */
	if (other_filtered(task))
		return 0;
	event = event_reserve(sizeof(*event));
	if (!event)
		return 0;
	event->pid = task_process(task);
	event->uid = BPF_CORE_READ((struct task_struct___oom *)task, real_cred, uid.val);
	bpf_probe_read_kernel(event->comm, sizeof(event->comm), &task->comm);
	event->adj = (s16)BPF_CORE_READ((struct task_struct___oom *)task, signal, oom_score_adj);
	event->reserved = 0;
	event->cgroup_id = task_cgroup_id(task);
	read_memory(event, task);
	read_limit(event);
	event_submit(event);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
