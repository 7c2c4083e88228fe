/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls that write data back, from begin to end.  What takes time is in between; the descriptor's file is looked up at the begin,
 * as another thread may close it meanwhile.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "syncsnoop.h"
#include "lib/bpf/errno.bpf.h"
#include "lib/bpf/exits.bpf.h"
#include "lib/bpf/call.bpf.h"
#include "lib/bpf/enters.bpf.h"
#include "lib/bpf/files.bpf.h"
#include "lib/bpf/refused.bpf.h"
#include "lib/bpf/row_stack.bpf.h"

#define CALLS_MAX 1024		/* under way at the same time; one more is counted as lost */

#define PF_IO_WORKER 0x10	/* include/linux/sched.h, since 5.6 */
#define IORING_FSYNC_DATASYNC 1	/* include/uapi/linux/io_uring.h */

const volatile bool have_types = false;		/* the kernel tells its types: a descriptor's file has a name */
const volatile bool uring_by_file = false;	/* io_uring's are seen in vfs_fsync_range() (range_synced) */
const volatile __u64 min_ns = 0;			/* -m */

/* A call between entry and return. */
struct call {
	u64 ts_ns;
	struct io_kiocb___part *req;	/* io_uring's */
	s32 fd;
	u16 call;
	u16 file_size;
	char file[FILE_NAME_SIZE];
};

CALLS(CALLS_MAX, struct call);

/* Their layout comes from the running kernel's format file (lib/layout). */
struct tp_io_uring__io_uring_complete {
	s32 res;
} __attribute__((preserve_access_index));

/* What is read of an io_uring request; its first part is the operation's, which begins with the file. */
struct io_sync___part {
	struct file___part *file;
	int flags;
} __attribute__((preserve_access_index));

struct io_kiocb___part {
	struct {
		s32 res;
	} cqe;
} __attribute__((preserve_access_index));

static __always_inline void read_name(struct call *call, const char *name)
{
	long size = name ? bpf_probe_read_kernel_str(call->file, sizeof(call->file), name) : 0;

	call->file_size = size < 0 ? SYNC_FILE_FAULT : size;
}

static __noinline const char *name_of(const struct file___part *file)
{
	return (const char *)BPF_CORE_READ(file, f_path.dentry, d_name.name);
}

/* ---- system calls */

/* sync() has one function for both ABIs: a hook for its 32-bit calls sees the others too, whose registers have another number. */
static __always_inline bool is_other_abi(enum syscall_id syscall, bool compat, bool known)
{
	return syscall == SYSCALL_sync && compat && !known;
}

static __always_inline int call_entered(const struct entered *entered)
{
	bool has_fd = entered->syscall != SYSCALL_sync && entered->syscall != SYSCALL_msync;
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct call call = {};

	if (is_other_abi(entered->syscall, entered->compat, entered->known))
		return 0;
	if (task_filtered()) {
		/* what is kept of an earlier one, whose return was missed, must go */
		call_drop_stale(&calls, &tid);
		return 0;
	}
	call.call = entered->syscall;
	call.fd = has_fd ? entered->args[0] : -1;
	if (has_fd && have_types && entered->known)
		read_name(&call, files_name(call.fd));
	call.ts_ns = bpf_ktime_get_ns();
	call_begin(&calls, &tid, &call);
	return 0;
}

/* An operation that has ended; false where it is not wanted, which is counted. */
static __always_inline void deliver(void *ctx, const struct call *call, long result)
{
	u64 latency_ns = bpf_ktime_get_ns() - call->ts_ns;
	struct sync_event *event;

	if (is_restart(result) || result_filtered(result))
		return;
	if (latency_ns < min_ns) {
		event_count_filtered();
		return;
	}
	event = event_reserve(sizeof(*event));
	if (!event)
		return;
	event->latency_ns = latency_ns;
	event->result = result;
	event->fd = call->fd;
	event->call = call->call;
	event->file_size = call->file_size;
	event->is_refused = false;
	__builtin_memcpy(event->file, call->file, sizeof(event->file));
	event_submit_from(ctx, event);
}

/* The filters come where the call begins. */
static __always_inline bool exit_is_unwanted(enum syscall_id syscall, long result)
{
	return false;
}

static __always_inline int call_exited(void *ctx, const struct exited *exited, const bool single)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct call *call = bpf_map_lookup_elem(&calls, &tid);

	/* nothing: filtered, lost, or begun before the tool was attached */
	if (!call || is_other_abi(exited->syscall, exited->compat, exited->known))
		return 0;
	deliver(ctx, call, exited->result);
	call_end(&calls, &tid);
	return 0;
}

/* A call that seccomp refuses does not begin; one that is asked for by its time has none. */
static __always_inline int refuse(void *ctx, const struct refused *refused)
{
	enum syscall_id syscall = which_call(refused->nr, refused->compat);
	bool has_fd = syscall != SYSCALL_sync && syscall != SYSCALL_msync;
	struct sync_event *event;
	const char *name = NULL;
	long size = 0;

	if (!syscall || task_filtered() || result_filtered(refused->result))
		return 0;
	if (min_ns) {
		event_count_filtered();
		return 0;
	}
	if (has_fd && have_types)
		name = files_name(refused->args[0]);
	event = event_reserve(sizeof(*event));
	if (!event)
		return 0;
	if (name)
		size = bpf_probe_read_kernel_str(event->file, sizeof(event->file), name);
	event->latency_ns = 0;
	event->result = refused->result;
	event->fd = has_fd ? refused->args[0] : -1;
	event->call = syscall;
	event->file_size = size < 0 ? SYNC_FILE_FAULT : size;
	event->is_refused = true;
	event_submit_from(ctx, event);
	return 0;
}

SEC("kretprobe") SEES_WHOLE
int refused(struct pt_regs *ctx)
{
	struct refused call;

	return refused_read(&call, ctx) ? refuse(ctx, &call) : 0;
}

/* A thread that ends takes what it left behind with it. */
CALL_THREAD_EXIT(call_thread_exit(&calls))

/* ---- what has no descriptor: msync's file, and io_uring's operations where these have no function of their own */

static __always_inline bool is_io_worker(void)
{
	return BPF_CORE_READ(task_current(), flags) & PF_IO_WORKER;
}

/* vfs_fsync_range(file, start, end, datasync), or sync_file_range(file, …) in its place. */
static __always_inline int file_synced(const struct file___part *file, u16 uring_call)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct call *call = bpf_map_lookup_elem(&calls, &tid), begun = {};

	if (call) {
		/* the first of msync's files; the others are named already */
		if (call->call == SYSCALL_msync && !call->file_size)
			read_name(call, name_of(file));
		return 0;
	}
	/*
	 * 5.10 has io_fsync() inlined.  Its worker does the work here and then tells that the request is complete.  A write with
	 * O_DSYNC comes here as well, but its result is a number of bytes (uring_complete).
	 */
	if (!uring_by_file || !is_io_worker() || !task_wanted(task_pid_tgid(), NULL))
		return 0;
	begun.call = uring_call;
	begun.fd = -1;
	read_name(&begun, name_of(file));
	begun.ts_ns = bpf_ktime_get_ns();
	call_begin(&calls, &tid, &begun);
	return 0;
}

SEC("kprobe")
int range_synced(struct pt_regs *ctx)
{
	return file_synced((const struct file___part *)PT_REGS_PARM1(ctx),
			   (int)PT_REGS_PARM4(ctx) ? SYNC_URING_FDATASYNC : SYNC_URING_FSYNC);
}

SEC("kprobe")
int uring_range_synced(struct pt_regs *ctx)
{
	return file_synced((const struct file___part *)PT_REGS_PARM1(ctx), SYNC_URING_RANGE);
}

/* ---- io_uring's operations: io_fsync() and io_sync_file_range(), in one of its workers */

static __always_inline int uring_enter(struct pt_regs *ctx, u16 kind)
{
	struct io_kiocb___part *req = (struct io_kiocb___part *)PT_REGS_PARM1(ctx);
	struct io_sync___part *sync = (struct io_sync___part *)req;
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct call call = {};

	/* what is filtered is counted at the return: an attempt that would have slept is no event */
	if (!task_wanted(task_pid_tgid(), NULL))
		return 0;
	call.req = req;
	call.fd = -1;
	call.call = kind;
	if (kind == SYNC_URING_FSYNC && BPF_CORE_READ(sync, flags) & IORING_FSYNC_DATASYNC)
		call.call = SYNC_URING_FDATASYNC;
	read_name(&call, name_of(BPF_CORE_READ(sync, file)));
	call.ts_ns = bpf_ktime_get_ns();
	call_begin(&calls, &tid, &call);
	return 0;
}

SEC("kprobe")
int uring_fsync_enter(struct pt_regs *ctx)
{
	return uring_enter(ctx, SYNC_URING_FSYNC);
}

SEC("kprobe")
int uring_range_enter(struct pt_regs *ctx)
{
	return uring_enter(ctx, SYNC_URING_RANGE);
}

static __always_inline int uring_exit(struct pt_regs *ctx)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct call *call = bpf_map_lookup_elem(&calls, &tid);
	bool has_ended = (s32)PT_REGS_RC(ctx) != -EAGAIN;	/* else a worker is to try it again */
	struct io_kiocb___part *req;

	if (!call) {
		if (has_ended && !task_wanted(task_pid_tgid(), NULL))
			task_filtered();
		return 0;
	}
	req = call->req;
	if (has_ended)
		deliver(ctx, call, BPF_CORE_READ(req, cqe.res));
	call_end(&calls, &tid);
	return 0;
}

SEC("kretprobe")
int uring_fsync_exit(struct pt_regs *ctx)
{
	return uring_exit(ctx);
}

SEC("kretprobe")
int uring_range_exit(struct pt_regs *ctx)
{
	return uring_exit(ctx);
}

/* The end of what file_synced() has begun. */
SEC("tp/io_uring/io_uring_complete")
int TP_PROG(uring_complete, struct tp_io_uring__io_uring_complete *ctx)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct call *call = bpf_map_lookup_elem(&calls, &tid);

	if (!call || call->call < SYNC_URING)
		return 0;
	if (ctx->res <= 0)
		deliver(ctx, call, ctx->res);
	call_end(&calls, &tid);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
