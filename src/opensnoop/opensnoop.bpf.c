/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opens, seen once, when they return: the path is then in memory for sure (the kernel has just read it), the result
 * is known, and no map has to carry anything from one program to another.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "lib/bpf/errno.bpf.h"
#include "lib/bpf/dir.bpf.h"
#include "lib/bpf/syscall.bpf.h"
#include "lib/bpf/tool.bpf.h"
#include "opensnoop.h"

#define CREAT_FLAGS 01101	/* O_CREAT | O_WRONLY | O_TRUNC: creat(2) */
#define MODE_FLAGS 020000100	/* O_CREAT, __O_TMPFILE: the mode is an argument then, and rubbish otherwise */

const volatile bool full_path = false;		/* -F */

/* An open as it was asked for. */
struct open_call {
	const char *path;	/* in user memory, or, from io_uring, the kernel's own copy */
	int dfd;
	u32 flags;
	u32 mode;
	u32 about;
};

/* An open in io_uring's hands, from io_openat2() until it returns. */
struct uring_open {
	struct io_kiocb___part *req;
	int dfd;
	u32 flags;
	u32 mode;
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

/*
 * Delivers the open in a record with room bytes for the path, a constant.  False where the path is longer: nothing
 * is delivered then.
 */
static __always_inline bool deliver(const struct open_call *call, long ret, const u32 room)
{
	struct open_event *event = event_reserve(sizeof(*event) + room + (full_path ? DIR_ROOM : 0));
	long size;

	if (!event)
		return true;
	size = call->about & OPEN_IO_URING ? bpf_probe_read_kernel_str(event->path, room, call->path) :
					     bpf_probe_read_user_str(event->path, room, call->path);
	if (size == room && room < PATH_SIZE) {
		event_discard(event);
		return false;
	}
	event->result = ret;
	event->dfd = call->dfd;
	event->flags = call->flags;
	event->mode = call->flags & MODE_FLAGS ? call->mode : 0;
	event->about = call->about;
	event->path_room = room;
	/* an empty string: the helper says 0 of it up to 6.12 (strncpy_from_user_nofault() in mm/maccess.c) */
	if (!size) {
		event->path[0] = 0;
		size = 1;
	}
	event->path_size = size;
	event->dir_size = 0;
	if (size < 0) {
		event->about |= OPEN_PATH_FAULT;
		event->path_size = 0;
	} else if (full_path && event->path[0] != '/') {
		if (!dir_read(event->path + room, &event->dir_size, call->dfd))
			event->about |= OPEN_DIR_CUT;
	}
	event_submit(event);
	return true;
}

/* Whether an open that returns is not an event: it has not ended, or it is not wanted, which is counted. */
static __always_inline bool filtered(long ret)
{
	return is_restart(ret) || result_filtered(ret) || task_filtered();
}

static __always_inline int open_exit(const struct open_call *call, long ret)
{
	if (!deliver(call, ret, PATH_SIZE_SHORT))
		deliver(call, ret, PATH_SIZE);
	return 0;
}

static __always_inline void call_init(struct open_call *call)
{
	__builtin_memset(call, 0, sizeof(*call));
	call->dfd = AT_FDCWD;
}

/* Which of the calls that open a file has that number, if any. */
static __always_inline enum syscall_id which_call(u64 nr, bool compat)
{
	if (syscall_is(openat, nr, compat))
		return SYSCALL_openat;
	if (syscall_is(open, nr, compat))
		return SYSCALL_open;
	if (syscall_is(openat2, nr, compat))
		return SYSCALL_openat2;
	return syscall_is(creat, nr, compat) ? SYSCALL_creat : SYSCALL_NONE;
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
	if (syscall == SYSCALL_creat) {
		call->flags = CREAT_FLAGS;
		call->mode = second;
	} else if (syscall == SYSCALL_openat2) {
		struct open_how how = {};

		bpf_probe_read_user(&how, sizeof(how), (const void *)second);
		call->flags = how.flags;
		call->mode = how.mode;
	}
}

/* A call of any number and kind that returns. */
static __always_inline int call_exit(const struct sys_exit *exit, s32 ret)
{
	u64 nr = sys_exit_nr(exit), args[SYSCALL_ARGS];
	/* Volatile bytes hide the values from the verifier, which else verifies all code below once for each call and ABI. */
	volatile u8 syscall, compat;
	struct open_call call;

	/* most calls are none of these, whatever their kind */
	if (!which_call(nr, false) && !which_call(nr, true))
		return 0;
	compat = sys_exit_is_compat(exit);
	syscall = which_call(nr, compat);
	if (!syscall || filtered(ret))
		return 0;
	sys_exit_args(args, exit, compat);
	read_call(&call, syscall, args, compat);
	return open_exit(&call, ret);
}

/*
 * One program for all of them.  It costs every other call of the machine some instructions, as many as the tracepoints of
 * single calls do that others use (bench/README.md), and its start and end cost a fraction: there is one thing to attach,
 * and nothing to wait for when it goes.
 */
SEC("raw_tp/sys_exit")
int any_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct sys_exit exit = sys_exit_of(ctx);

	return call_exit(&exit, ctx->args[1]);
}

/*
 * The same for kernels that let a program on a tracepoint be preempted: on the returns of the calls' functions, where they do
 * not.
 */
SEC("kretprobe.multi")
int any_return(struct pt_regs *ctx)
{
	struct sys_exit exit = sys_exit_of_current();

	return call_exit(&exit, PT_REGS_RC(ctx));
}

/* Where neither works (lib/bpf/syscall.bpf.h says why): a hook for each call, of each kind. */
static __noinline int exit_64(struct syscall_exit *ctx)
{
	u64 args[SYSCALL_ARGS];
	struct open_call call;

	if (filtered(ctx->ret))
		return 0;
	syscall_exit_args(args, ctx);
	read_call(&call, which_call(ctx->nr, false), args, false);
	return open_exit(&call, ctx->ret);
}

static __noinline int exit_32(struct pt_regs *ctx, u64 nr)
{
	u64 args[SYSCALL_ARGS];
	struct open_call call;

	if (filtered((s32)PT_REGS_RC(ctx)))
		return 0;
	compat_exit_args(args, ctx, nr);
	read_call(&call, which_call(nr, true), args, true);
	return open_exit(&call, (s32)PT_REGS_RC(ctx));
}

SYSCALL_EXITS(open)
SYSCALL_EXITS(creat)
SYSCALL_EXITS(openat)
SYSCALL_EXITS(openat2)

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

	if (!common || !task_wanted(task_pid_tgid(), NULL))
		return 0;
	if (bpf_map_update_elem(&uring_opens, &tid, &common->blank, BPF_ANY) ||
	    !(entry = bpf_map_lookup_elem(&uring_opens, &tid))) {
		__sync_fetch_and_add(&common->no_room, 1);
		return 0;
	}
	if (bpf_core_type_exists(struct delayed_filename___held))
		name = BPF_CORE_READ((struct io_open___held *)open, filename.__incomplete_filename);
	else
		name = BPF_CORE_READ((struct io_open___pointer *)open, filename);
	entry->req = req;
	entry->dfd = BPF_CORE_READ(open, dfd);
	entry->flags = BPF_CORE_READ(open, how.flags);
	entry->mode = BPF_CORE_READ(open, how.mode);
	bpf_probe_read_kernel_str(entry->path, sizeof(entry->path), BPF_CORE_READ(name, name));
	return 0;
}

/* Before 5.19 the request may be gone, and its result with it, when io_openat2() returns; this is where it was told. */
SEC("tp/io_uring/io_uring_complete")
int uring_complete(struct tp_io_uring__io_uring_complete *ctx)
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
	__sync_fetch_and_add(&common->no_room, -1);
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
		call.mode = entry->mode;
		if (bpf_core_field_exists(struct io_kiocb___part, cqe))
			entry->result = BPF_CORE_READ(req, cqe.res);
		else if (!entry->has_result)
			entry->result = BPF_CORE_READ((struct io_kiocb___5_10 *)req, result);
		if (!filtered(entry->result))
			open_exit(&call, entry->result);
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

SEC("raw_tp/sched_process_exit")
int uring_thread_exit(void *ctx)
{
	return uring_forget_thread();
}

/* For kernels that let a program on the raw tracepoint be preempted, and then skip it for other threads. */
SEC("tp/sched/sched_process_exit")
int uring_thread_exit_event(void *ctx)
{
	return uring_forget_thread();
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
