/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Operations on files with the time that they take, from the begin of the system call to its end, or from when a request is submitted
 * until it is complete (file_requests.bpf.h).  The tool defines struct file_asker before it includes this, and file_op_ended() and
 * file_asker_fill() after it.  Include it once in a tool, after vmlinux.h.
 */
#ifndef PROBELIGHT_FILE_TIMES_BPF_H
#define PROBELIGHT_FILE_TIMES_BPF_H

#include "call.bpf.h"
#include "file_op.bpf.h"
#include "file_requests.bpf.h"
#include "syscall_both.bpf.h"

#define FILE_CALLS_MAX 10240	/* under way at the same time; one more is counted as lost */

/* An operation that has ended. */
struct file_op_end {
	u64 begun_ns;
	u64 latency_ns;
	s64 result;			/* bytes or 0, or -errno */
	const struct file___part *file;	/* NULL: another thread has closed it meanwhile */
	u32 op;				/* enum file_op */
	s32 fd;				/* -1: it is not known */
	u32 via;			/* enum file_via */
	const struct file_asker *asker;	/* of a request; NULL: the current task */
};

/* The tool's; inline.  It is called with what has passed the filters of the task, of --fs and of -x. */
static __always_inline int file_op_ended(void *ctx, const struct file_op_end *end);

/* A call under way. */
struct file_call {
	u64 begun_ns;
	u64 file[2];	/* what it reads from, writes to, or syncs; an address to compare with, or 0 */
	s32 fd[2];
	u64 op;		/* enum file_op: that on the first one; on the second it is a write */
};

CALLS(FILE_CALLS_MAX, struct file_call);

/* The regular file of a descriptor that --fs wants. */
static __always_inline u64 file_wanted(s32 fd)
{
	const struct file___part *file = file_regular(fd);

	return file && file_system_is_wanted(file) ? (u64)file : 0;
}

/* Which files a call reads from, writes to, or syncs. */
static __always_inline void file_call_fill(struct file_call *call, const struct sys_exit *at, u64 kind, bool compat)
{
	u64 args[SYSCALL_ARGS];

	sys_exit_args(args, at, compat);
	call->fd[0] = args[0] ^ ((args[0] ^ args[1]) & file_call_mask(kind, FILE_CALL_FIRST_IS_1));
	call->file[0] = file_wanted(call->fd[0]);
	if (kind & FILE_CALL_SECOND) {
		call->fd[1] = args[0] ^ ((args[0] ^ args[2]) & file_call_mask(kind, FILE_CALL_SECOND_IS_2));
		call->file[1] = file_wanted(call->fd[1]);
	}
}

static __always_inline int file_call_begins(const struct sys_exit *at)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	u64 nr = sys_exit_nr(at), kind, id;
	struct file_call call = {};
	bool compat;

	if (!file_call_maybe(nr) || event_is_over())
		return 0;
	compat = sys_exit_is_compat(at);
	kind = file_call_kind(nr, compat);
	if (!kind)
		return 0;
	if (kind & FILE_CALL_AIO)
		return file_call_unseen();
	call.op = kind & FILE_CALL_OP;
	if (call.op != FILE_OPEN) {
		file_call_fill(&call, at, kind, compat);
		if (!(call.file[0] | call.file[1]))
			return 0;
	}
	id = task_pid_tgid();
	if (id >> 32 == filter.self)
		return 0;
	if (!task_wanted(id, NULL)) {
		/* what an open is of is known at its end, and there it is counted (file_open_filtered) */
		if (call.op != FILE_OPEN)
			event_count_filtered();
		return 0;
	}
	call.begun_ns = bpf_ktime_get_ns();
	call_begin(&calls, &tid, &call);
	return 0;
}

/* One of a call's two operations. */
static __always_inline int file_op_end(void *ctx, const struct file_call *call, u64 which, s64 result)
{
	struct file_op_end end = {
		.begun_ns = call->begun_ns,
		.latency_ns = bpf_ktime_get_ns() - call->begun_ns,
		.result = result,
		.op = which ? FILE_WRITE : call->op,
		.fd = which ? call->fd[1] : call->fd[0],
	};
	u64 file = which ? call->file[1] : call->file[0];

	/* else another thread has closed the descriptor, and what was there may be gone */
	if ((u64)file_regular(end.fd) == file)
		end.file = (const struct file___part *)file;
	return file_op_ended(ctx, &end);
}

/* An open of a task that no filter wants: it is counted as filtered where it has opened a file. */
static __always_inline void file_open_filtered(const struct sys_exit *at, u64 nr, s64 result)
{
	u64 kind = file_call_kind(nr, sys_exit_is_compat(at));

	if (kind && (kind & FILE_CALL_OP) == FILE_OPEN && result >= 0 && !task_wanted(task_pid_tgid(), NULL) && file_wanted(result))
		task_filtered();
}

static __always_inline int file_call_ends(void *ctx, const struct sys_exit *at, s64 result)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	u64 nr = sys_exit_nr(at);
	struct file_call *call;

	if (!file_call_maybe(nr) || event_is_over())
		return 0;
	call = bpf_map_lookup_elem(&calls, &tid);
	if (!call) {
		/* what else is not there is filtered, lost, of no regular file, or begun before the tool was attached */
		if (filter.active)
			file_open_filtered(at, nr, result);
		return 0;
	}
	if (call->op == FILE_OPEN) {
		call->fd[0] = result;
		call->file[0] = result >= 0 ? file_wanted(result) : 0;
		call->op = file_open_op(call->file[0]);
	}
	if (!is_restart(result) && (call->file[0] | call->file[1]) && !result_filtered(result)) {
		if (call->file[0])
			file_op_end(ctx, call, 0, result);
		if (call->file[1])
			file_op_end(ctx, call, 1, result);
	}
	call_end(&calls, &tid);
	return 0;
}

static __always_inline int file_request_ended(void *ctx, const struct file_request *request, const struct file___part *file, s64 result)
{
	struct file_op_end end = {
		.begun_ns = request->begun_ns,
		.latency_ns = bpf_ktime_get_ns() - request->begun_ns,
		.result = result,
		.file = file,
		.op = request->op,
		.fd = request->fd,
		.via = request->via,
		.asker = &request->asker,
	};

	return result_filtered(result) ? 0 : file_op_ended(ctx, &end);
}

SYSCALL_BOTH(file, file_call_begins, file_call_ends)

/* A thread that ends takes what it left behind with it. */
CALL_THREAD_EXIT(call_thread_exit(&calls))

#endif
