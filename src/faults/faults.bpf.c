/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Page faults that wait for a disk, from where they look for the page to where they have it.  A page of a file is looked for by
 * filemap_fault(), which all file systems with a page cache call; a page that was swapped out by do_swap_page() or shmem_fault().  Most
 * of their calls find it in memory.  VM_FAULT_MAJOR tells that the page had to be read: the kernel counts pgmajfault at the same place.
 * A call that finds a page which is being read waits for that, and then has the fault tried again (VM_FAULT_RETRY).  It takes the same
 * result from other waits, which do not sleep, or not here.
 *
 * The kernel faults in the name of a process, too, when it fills a mapping (MAP_POPULATE, mlock(2)) or accesses another process.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define EVENTS_SIZE (256 * 1024)	/* these wait for disks; zeroing and mapping 1 MB costs 3 million instructions at each start */

#include "faults.h"
#include "lib/bpf/call.bpf.h"
#include "lib/bpf/file_op.bpf.h"
#include "lib/bpf/row_stack.bpf.h"
#include "lib/bpf/tool.bpf.h"

#define CALLS_MAX 10240	/* under way at the same time; one more is counted as lost */

/* enum vm_fault_reason, include/linux/mm_types.h */
#define RESULT_OOM 0x1
#define RESULT_SIGBUS 0x2
#define RESULT_MAJOR 0x4
#define RESULT_HWPOISON 0x30
#define RESULT_RETRY 0x400

const volatile __u64 min_ns = 0;	/* --slower */
const volatile __u32 page_shift = 12;

struct inode___size {
	s64 i_size;
} __attribute__((preserve_access_index));

struct address_space___host {
	struct inode___size *host;
} __attribute__((preserve_access_index));

struct file___mapping {
	struct address_space___host *f_mapping;
} __attribute__((preserve_access_index));

struct vm_area_struct___file {
	struct file___mapping *vm_file;
} __attribute__((preserve_access_index));

struct vm_fault___part {
	struct vm_area_struct___file *vma;
	unsigned long pgoff;
	unsigned long address;
} __attribute__((preserve_access_index));

struct task_struct___switches {
	unsigned long nvcsw;
} __attribute__((preserve_access_index));

struct call {
	u64 begun_ns;
	u64 address;
	u64 page;
	u64 file;		/* 0: swap */
	u64 switches;		/* how often the thread has slept until then */
	u32 kind;
	u32 reserved;
};

CALLS(CALLS_MAX, struct call);

static __always_inline u64 times_slept(void)
{
	return BPF_CORE_READ((struct task_struct___switches *)bpf_get_current_task(), nvcsw);
}

static __noinline int begin(const struct vm_fault___part *fault, u32 kind)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct call call = { .kind = kind };

	if (event_is_over())
		return 0;
	call.address = BPF_CORE_READ(fault, address);
	if (kind != FAULTS_SWAP) {
		call.page = BPF_CORE_READ(fault, pgoff);
		call.file = (u64)BPF_CORE_READ(fault, vma, vm_file);
	}
	call.switches = times_slept();
	call.begun_ns = bpf_ktime_get_ns();
	call_begin(&calls, &tid, &call);
	return 0;
}

/* A page behind the end of a file is an error without a read. */
static __always_inline bool is_in_file(const struct call *call)
{
	const struct file___mapping *file = (const struct file___mapping *)call->file;

	return !file || call->page << page_shift < (u64)BPF_CORE_READ(file, f_mapping, host, i_size);
}

/* Whether the call had to read, or waited for who reads, with what result: 0, or -errno; 1: neither. */
static __always_inline int result_of(const struct call *call, u32 result)
{
	if (result & RESULT_HWPOISON)
		return -EHWPOISON;
	if (result & RESULT_SIGBUS)
		return is_in_file(call) ? -EIO : 1;
	if (result & RESULT_MAJOR)
		return result & RESULT_OOM ? -ENOMEM : 0;
	return result & RESULT_RETRY && times_slept() != call->switches ? 0 : 1;
}

static __always_inline void send(void *ctx, const struct call *call, u32 result, int error)
{
	u64 latency_ns = bpf_ktime_get_ns() - call->begun_ns;
	struct faults_event *event;

	if (result_filtered(error) || task_filtered())
		return;
	if (latency_ns < min_ns) {
		event_count_filtered();
		return;
	}
	event = event_reserve(sizeof(*event));
	if (!event)
		return;
	event->latency_ns = latency_ns;
	event->address = call->address;
	event->page = call->page;
	event->result = error;
	event->kind = call->kind;
	event->is_waiter = !error && !(result & RESULT_MAJOR);
	event->file_size = 0;
	event->page_shift = page_shift;
	event->fs[0] = 0;
	if (call->file) {
		file_system_read(event->fs, (const struct file___part *)call->file);
		event->file_size = file_name_read(event->file, sizeof(event->file), (const struct file___part *)call->file);
	}
	event_submit_from(ctx, event);
}

static __noinline int end(void *ctx, u32 result)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct call *call;
	int error;

	/* nothing: lost, or begun before the tool was attached */
	call = bpf_map_lookup_elem(&calls, &tid);
	if (!call)
		return 0;
	error = event_is_over() ? 1 : result_of(call, result);
	if (error <= 0)
		send(ctx, call, result, error);
	call_end(&calls, &tid);
	return 0;
}

/* vm_fault_t filemap_fault(struct vm_fault *vmf), and so the other two */
SEC("kprobe")
int BPF_KPROBE(file_enter, struct vm_fault___part *fault)
{
	return begin(fault, FAULTS_FILE);
}

SEC("kretprobe")
int BPF_KRETPROBE(file_exit, u32 result)
{
	return end(ctx, result);
}

SEC("kprobe")
int BPF_KPROBE(swap_enter, struct vm_fault___part *fault)
{
	return begin(fault, FAULTS_SWAP);
}

SEC("kretprobe")
int BPF_KRETPROBE(swap_exit, u32 result)
{
	return end(ctx, result);
}

SEC("kprobe")
int BPF_KPROBE(shmem_enter, struct vm_fault___part *fault)
{
	return begin(fault, FAULTS_SHMEM);
}

SEC("kretprobe")
int BPF_KRETPROBE(shmem_exit, u32 result)
{
	return end(ctx, result);
}

CALL_THREAD_EXIT(call_thread_exit(&calls))

char LICENSE[] SEC("license") = "Dual BSD/GPL";
