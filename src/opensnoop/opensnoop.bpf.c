/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opens, seen once, when they return: the path is then in memory for sure (the kernel has just read it), the result
 * is known, and no map has to carry anything from one program to another.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "opensnoop.h"

#define EVENT_SLOT_SIZE (sizeof(struct open_event) + PATH_SIZE + DIR_ROOM)
#include "lib/bpf/atomic.bpf.h"
#include "lib/bpf/event_counts.bpf.h"
#include "lib/bpf/errno.bpf.h"
#include "lib/bpf/dir.bpf.h"
#include "lib/bpf/exits.bpf.h"
#include "lib/bpf/hidden.bpf.h"
#include "lib/bpf/path.bpf.h"
#include "lib/bpf/path_filter.bpf.h"
#include "lib/bpf/role.bpf.h"
#include "lib/bpf/row_stack.bpf.h"

#define CREAT_FLAGS 01101	/* O_CREAT | O_WRONLY | O_TRUNC: creat(2) */
#define MODE_FLAGS 020000100	/* O_CREAT, __O_TMPFILE: the mode is an argument then, and rubbish otherwise */

const volatile bool full_path = false;		/* -F */
const volatile struct flag_filter flag_filter = {};

/* An open as it was asked for. */
struct open_call {
	const char *path;	/* in user memory, or, from io_uring, the kernel's own copy */
	int dfd;
	u32 flags;
	u32 mode;
	u32 about;
	u32 flags_high, resolve;	/* of openat2 */
};

/* An open in io_uring's hands, from io_openat2() until it returns. */
struct uring_open {
	struct io_kiocb___part *req;
	int dfd;
	u32 flags;
	u32 mode;
	u32 flags_high, resolve;
	int result;
	bool has_result;
	char path[PATH_SIZE];
};

/* By thread.  The user side lets newer kernels allocate entries as they are needed. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 128);
	__type(key, u32);
	__type(value, struct uring_open);
} uring_opens SEC(".maps");

/* Beside that one. */
struct uring_common {
	struct uring_open blank;	/* all zeros: what an entry is made from, larger than a program's stack */
	u64 no_room;			/* attempts under way that found no room for an entry */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct uring_common);
} uring_common SEC(".maps");

/* Its layout comes from the running kernel's format file (lib/layout). */
struct tp_io_uring__io_uring_complete {
	s32 res;
} __attribute__((preserve_access_index));

/* What is read of an io_uring request and of its first part. */
struct io_open___part {
	int dfd;
	struct open_how how;
} __attribute__((preserve_access_index));

struct io_kiocb___part {
	struct {
		s32 res;
	} cqe;
} __attribute__((preserve_access_index));

/* And what changed: the name's holder is of a type of its own since 7.0, the result moved in 5.19. */
struct io_open___pointer {
	struct filename *filename;
} __attribute__((preserve_access_index));

struct delayed_filename___held {
	struct filename *__incomplete_filename;
} __attribute__((preserve_access_index));

struct io_open___held {
	struct delayed_filename___held filename;
} __attribute__((preserve_access_index));

struct io_kiocb___5_10 {
	u32 result;
} __attribute__((preserve_access_index));

/* -f; counts what is not wanted. */
static __always_inline bool flags_filtered(u32 flags)
{
	if (!flag_filter.count)
		return false;
	for (u32 i = 0; i < FLAG_FILTERS_MAX; i++)
		if (i < flag_filter.count && (flags & flag_filter.masks[i]) == flag_filter.values[i])
			return false;
	event_count_filtered();
	return true;
}

static __always_inline int deliver(void *ctx, const struct open_call *call, long ret)
{
	struct path_text path = { .from = call->path, .in_kernel = call->about & OPEN_IO_URING };
	struct open_event *event;
	u16 room;

	if (flags_filtered(call->flags))
		return 0;
	event = event_reserve_paths(sizeof(*event), full_path ? DIR_ROOM : 0, &path, 1, &room);
	if (!event)
		return 0;
	/* in the room that both kinds of record have */
	if (path_filtered(event->path, path.size, PATH_ROOM_SHORT)) {
		event_discard(event);
		return 0;
	}
	event->result = ret;
	event->dfd = call->dfd;
	event->flags = call->flags;
	event->flags_high = call->flags_high;
	event->resolve = call->resolve;
	event->mode = call->flags & MODE_FLAGS ? call->mode : 0;
	event->about = call->about;
	event->path_room = room;
	event->path_size = path.size;
	event->dir_size = 0;
	if (!path.size) {
		event->about |= OPEN_PATH_FAULT;
	} else if (full_path && event->path[0] != '/') {
		if (!dir_read(event->path + room, &event->dir_size, call->dfd))
			event->about |= OPEN_DIR_CUT;
	}
	event_submit_from(ctx, event);
	return 0;
}

static __always_inline void call_init(struct open_call *call)
{
	__builtin_memset(call, 0, sizeof(*call));
	call->dfd = AT_FDCWD;
}

/* Fills *call from a system call's arguments; openat and openat2 have one more in front. */
static __always_inline void read_call(struct open_call *call, enum syscall_id syscall, const u64 *args, bool compat)
{
	bool at = syscall == SYSCALL_openat || syscall == SYSCALL_openat2;
	u64 second = at ? args[2] : args[1], third = at ? args[3] : args[2];

	call->about = compat ? OPEN_COMPAT : 0;
	call->dfd = at ? args[0] : AT_FDCWD;
	call->path = (const char *)(at ? args[1] : args[0]);
	call->flags = second;
	call->mode = third;
	/* 0, which the verifier does not know, or it would walk all that follows once more */
	call->flags_high = call->resolve = hidden_zero();
	if (syscall == SYSCALL_creat) {
		call->flags = CREAT_FLAGS;
		call->mode = second;
	} else if (syscall == SYSCALL_openat2) {
		struct open_how how = {};

		bpf_probe_read_user(&how, sizeof(how), (const void *)second);
		call->flags = how.flags;
		call->flags_high = how.flags >> 32;
		call->mode = how.mode;
		call->resolve = how.resolve;
	}
}

static __always_inline bool exit_is_unwanted(enum syscall_id syscall, long result)
{
	return exit_filtered(result);
}

static __always_inline int call_exited(void *ctx, const struct exited *exited, const bool single)
{
	struct open_call call;

	read_call(&call, exited->syscall, exited->args, exited->compat);
	return deliver(ctx, &call, exited->result);
}

/*
 * io_uring's opens, in the caller's own thread or in one of its workers: io_openat2() does both kinds.  Its request
 * is gone from the registers when it returns, and the kernel's copy of the path with it.
 *
 * io_uring's own events would cost less and are not enough.  A request with IOSQE_CQE_SKIP_SUCCESS (since 5.17) that succeeds
 * makes no io_uring_complete.  5.10 tells of a submission before the request is filled in, and has no request in either event.
 *
 * Filters come before the table, so that what is not wanted takes no room.  Whether it is an event at all shows at the return:
 * an attempt that would have slept (-EAGAIN) is none, and is neither lost nor filtered.
 */
SEC("kprobe")
int uring_open_entry(struct pt_regs *ctx)
{
	struct io_kiocb___part *req = (struct io_kiocb___part *)PT_REGS_PARM1(ctx);
	struct io_open___part *open = (struct io_open___part *)req;	/* since 5.1 the request begins with the operation's own part */
	u32 tid = (u32)bpf_get_current_pid_tgid(), zero = 0;
	struct uring_common *common = bpf_map_lookup_elem(&uring_common, &zero);
	struct uring_open *entry;
	struct filename *name;
	u64 how_flags;

	if (!common || !task_wanted(task_pid_tgid(), NULL))
		return 0;
	if (bpf_map_update_elem(&uring_opens, &tid, &common->blank, BPF_ANY) ||
	    !(entry = bpf_map_lookup_elem(&uring_opens, &tid))) {
		atomic_add(&common->no_room, 1);
		return 0;
	}
	if (bpf_core_type_exists(struct delayed_filename___held))
		name = BPF_CORE_READ((struct io_open___held *)open, filename.__incomplete_filename);
	else
		name = BPF_CORE_READ((struct io_open___pointer *)open, filename);
	entry->req = req;
	entry->dfd = BPF_CORE_READ(open, dfd);
	how_flags = BPF_CORE_READ(open, how.flags);
	entry->flags = how_flags;
	entry->flags_high = how_flags >> 32;
	entry->resolve = BPF_CORE_READ(open, how.resolve);
	entry->mode = BPF_CORE_READ(open, how.mode);
	bpf_probe_read_kernel_str(entry->path, sizeof(entry->path), BPF_CORE_READ(name, name));
	return 0;
}

/* Before 5.19 the request may be gone, and its result with it, when io_openat2() returns; this is where it was told. */
SEC("tp/io_uring/io_uring_complete")
int TP_PROG(uring_complete, struct tp_io_uring__io_uring_complete *ctx)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct uring_open *entry = bpf_map_lookup_elem(&uring_opens, &tid);

	if (entry) {
		entry->result = ctx->res;
		entry->has_result = true;
	}
	return 0;
}

/* An attempt that has no entry: it was filtered, found no room, or began before the tool was attached. */
static __always_inline int uring_exit_unknown(bool is_result)
{
	struct uring_common *common;
	u32 zero = 0;

	if (!task_wanted(task_pid_tgid(), NULL)) {
		if (is_result)
			task_filtered();
		return 0;
	}
	common = bpf_map_lookup_elem(&uring_common, &zero);
	if (!common || !common->no_room)
		return 0;
	atomic_add(&common->no_room, -1);
	if (is_result)
		event_count_no_room();
	return 0;
}

SEC("kretprobe")
int uring_open_exit(struct pt_regs *ctx)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct uring_open *entry = bpf_map_lookup_elem(&uring_opens, &tid);
	/* else it would have slept and is tried again by a worker */
	bool is_result = (s32)PT_REGS_RC(ctx) != -EAGAIN;
	struct open_call call;
	struct io_kiocb___part *req;

	if (!entry)
		return uring_exit_unknown(is_result);
	req = entry->req;
	if (is_result) {
		call_init(&call);
		call.about = OPEN_IO_URING;
		call.path = entry->path;
		call.dfd = entry->dfd;
		call.flags = entry->flags;
		call.flags_high = entry->flags_high;
		call.resolve = entry->resolve;
		call.mode = entry->mode;
		if (bpf_core_field_exists(struct io_kiocb___part, cqe))
			entry->result = BPF_CORE_READ(req, cqe.res);
		else if (!entry->has_result)
			entry->result = BPF_CORE_READ((struct io_kiocb___5_10 *)req, result);
		if (!exit_filtered(entry->result))
			deliver(ctx, &call, entry->result);
	}
	bpf_map_delete_elem(&uring_opens, &tid);
	return 0;
}

/*
 * A return that no program saw leaves its entry; the worker's next open takes it, or the worker's end.  The kernel has counted
 * such a return as missed.
 */
static __always_inline int uring_forget_thread(void)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();

	bpf_map_delete_elem(&uring_opens, &tid);
	return 0;
}

SEC("raw_tp/sched_process_exit") SEES_NO_EVENT
int uring_thread_exit(void *ctx)
{
	return uring_forget_thread();
}

/* For kernels that let a program on the raw tracepoint be preempted, and then skip it for other threads. */
SEC("tp/sched/sched_process_exit") SEES_NO_EVENT
int TP_PROG(uring_thread_exit_event, void *ctx)
{
	return uring_forget_thread();
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
