/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs being executed.  One that succeeded is seen in the kernel where it has succeeded for good, with the
 * arguments as they lie in the new program's memory: no other thread can have changed them since the kernel looked.
 * One that failed is seen when the system call returns, with what the caller's memory says then.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define ARCH_SYSCALL_ARGS 5

#include "lib/bpf/argv.bpf.h"
#include "lib/bpf/atomic.bpf.h"
#include "lib/bpf/refused.bpf.h"
#include "lib/bpf/suppressed.bpf.h"
#include "lib/bpf/syscall.bpf.h"
#include "lib/bpf/task.bpf.h"
#include "lib/bpf/tool.bpf.h"
#include "lib/bpf/tp.bpf.h"
#include "execsnoop.h"

#define AT_EXECVE_CHECK 0x10000	/* include/uapi/linux/fcntl.h, since 6.14 */
#define UNREADABLE 1		/* an address where nothing is */

/* Arguments of a failed exec that are looked at, by the size of the record; further ones are only counted. */
#define ARGS_MAX_SMALL 16
#define ARGS_MAX 64		/* bits of exec_event.faults */

/*
 * A successful exec comes by twice, in exec_succeeded() and when its call returns, and is an event once.  Where the kernel
 * skips programs, these tell how many of the skipped runs were for the second time (missed_for_nothing() on the user
 * side).
 */
struct exec_counts exec_counts SEC(".data.counts") = {};

/* ---- success */

/* Whether path and arguments fit; they are in the record then. */
static __always_inline bool read_image(struct exec_event *event, u32 path_room, u32 args_room, const char *path, u64 args,
				       u32 args_size)
{
	long size = bpf_probe_read_kernel_str(event->text, path_room, path);

	event->about = size < 0 ? EXEC_PATH_FAULT : 0;
	event->faults = 0;
	event->path_size = size;
	event->path_room = path_room;
	/* one register for the check and the call, or the verifier does not see the bound */
	barrier_var(args_size);
	if (args_size > args_room)
		args_size = args_room;
	event->args_size = args_size;
	if (bpf_probe_read_user(event->text + path_room, args_size, (const void *)args)) {
		event->about |= EXEC_ARGS_FAULT;
		event->args_size = 0;
	}
	return size < path_room;
}

/*
 * The arguments are those that the program gets: in a script the interpreter comes first, and a list that was empty has
 * one empty string (5.18, and stable kernels).  path is the kernel's own copy.
 */
static __always_inline int exec_succeeded(struct task_struct___part *task, const char *path, u32 old_tid, u32 argc)
{
	u64 args = BPF_CORE_READ(task, mm, arg_start);
	u32 size = BPF_CORE_READ(task, mm, arg_end) - args;	/* below 2 GB: MAX_ARG_STRINGS, _STK_LIM */
	u64 id = task_pid_tgid();
	struct exec_event *event;

	/*
	 * Whatever thread it was, it has the process's first thread's id by now.  The one that it had, by which -t may
	 * ask for it, is told as the initial pid namespace has it.
	 */
	if (!filter.pidns_ino)
		id = (id & ~0xffffffffull) | old_tid;
	/* the call of a new 32-bit program returns as a 32-bit call, which has no tracepoint events */
	if (!task_is_compat(task))
		atomic_add(&exec_counts.succeeded, 1);
	if (result_filtered(0) || task_filtered_as(id, NULL))
		return 0;
	if (size <= ARGS_SIZE_SMALL) {
		event = event_reserve(sizeof(*event) + PATH_SIZE_SMALL + ARGS_SIZE_SMALL);
		if (!event)
			return 0;
		if (read_image(event, PATH_SIZE_SMALL, ARGS_SIZE_SMALL, path, args, size))
			goto submit;
		event_discard(event);
	}
	if (size <= ARGS_SIZE_MIDDLE) {
		event = event_reserve(sizeof(*event) + PATH_SIZE + ARGS_SIZE_MIDDLE);
		if (!event)
			return 0;
		read_image(event, PATH_SIZE, ARGS_SIZE_MIDDLE, path, args, size);
	} else {
		event = event_reserve(sizeof(*event) + PATH_SIZE + ARGS_SIZE_LARGE);
		if (!event)
			return 0;
		read_image(event, PATH_SIZE, ARGS_SIZE_LARGE, path, args, size);
	}
submit:
	event->task.tid = id;
	event->argc = argc;
	event->dfd = AT_FDCWD;
	event->result = 0;
	event->ppid = task_parent_process(task);
	event_submit(event);
	return 0;
}

struct linux_binprm___part {
	int argc;
	const char *filename;
} __attribute__((preserve_access_index));

/* On the raw tracepoint, for the binprm: it has the number of the arguments. */
SEC("raw_tp/sched_process_exec")
int exec_done(struct bpf_raw_tracepoint_args *ctx)
{
	struct linux_binprm___part *bprm = (void *)ctx->args[2];

	return exec_succeeded((void *)ctx->args[0], BPF_CORE_READ(bprm, filename), ctx->args[1], BPF_CORE_READ(bprm, argc));
}

/* Its layout comes from the running kernel's format file (lib/layout). */
struct tp_sched__sched_process_exec {
	u32 __data_loc_filename;
	s32 old_pid;
} __attribute__((preserve_access_index));

/*
 * For kernels that let a program on the raw tracepoint be preempted, so that others' execs pass it by: here they do not.
 * The number of the arguments is the first word on the new program's stack (create_elf_tables() in fs/binfmt_elf.c).
 */
SEC("tp/sched/sched_process_exec")
int TP_PROG(exec_done_event, struct tp_sched__sched_process_exec *ctx)
{
	struct task_struct___part *task = task_current();
	u32 argc = 0;

	bpf_probe_read_user(&argc, sizeof(argc), (const void *)BPF_CORE_READ(task, mm, start_stack));
	return exec_succeeded(task, tp_loc_address(ctx, ctx->__data_loc_filename), ctx->old_pid, argc);
}

/* ---- failure */

/* A value in memory, read so that the verifier does not know what was stored there. */
#define hidden(value) (*(volatile typeof(value) *)&(value))

enum args_end {
	ARGS_GO_ON,
	ARGS_ALL,	/* the list's end, or what cannot be read of it */
	ARGS_NO_ROOM,
};

/*
 * Reads the argument i to the end of what is there, up to half of the room.  Since 6.8 the kernel opens the file before it
 * looks at the arguments: they may lie in pages that nobody has touched.
 *
 * Keep the verifier's state count low: where two paths meet with different known values, it verifies the rest twice.  So results
 * are combined with arithmetic instead of branches, and running sums are read through a volatile (hidden()), which makes the
 * verifier treat them as unknown.
 */
static __always_inline enum args_end read_arg(struct exec_event *event, char *args, u32 room, u64 argv, u32 word_size, u32 i)
{
	u64 arg[2] = {};
	s64 size;
	u32 used;

	if (bpf_probe_read_user(arg, word_size & 12, (const void *)argv + i * word_size)) {
		event->about |= EXEC_ARGS_FAULT;
		return ARGS_ALL;
	}
	if (!*arg)
		return ARGS_ALL;
	used = hidden(event->args_size);
	if (used > room / 2)
		return ARGS_NO_ROOM;
	size = bpf_probe_read_user_str(args + used, room / 2, (const void *)*arg);
	if (size >= room / 2)
		return ARGS_NO_ROOM;
	/*
	 * What cannot be read is an empty string, and has its bit.  The helper says 0 of a string that is empty, up to 6.12
	 * (strncpy_from_user_nofault() in mm/maccess.c); its 0 byte is there.
	 */
	event->faults |= (u64)size >> 63 << i;
	size &= ~(size >> 63);
	event->args_size = used + size + ((u64)(size - 1) >> 63);
	event->argc = i + 1;
	return ARGS_GO_ON;
}

/* What bpf_loop() hands to its callbacks. */
struct args_walk {
	struct exec_event *event;
	u64 argv;
	u64 word_size;
	u64 end;		/* enum args_end */
};

static long read_arg_small(u32 i, struct args_walk *walk)
{
	walk->end = read_arg(walk->event, walk->event->text + PATH_SIZE_SMALL, ARGS_SIZE_SMALL, walk->argv, walk->word_size, i);
	return walk->end != ARGS_GO_ON;
}

static long read_arg_large(u32 i, struct args_walk *walk)
{
	walk->end = read_arg(walk->event, walk->event->text + PATH_SIZE, ARGS_SIZE_FAILED, walk->argv, walk->word_size, i);
	return walk->end != ARGS_GO_ON;
}

/*
 * Reads the arguments one by one.  Whether that is all of them.
 *
 * has_loop is a constant: bpf_loop() is there (since 5.17, e6f2dd0f8067).  The verifier looks at its callback once; at the
 * loop in its place it looks in each round, which is most of the time that the tool takes to start.
 */
static __always_inline bool read_args(struct exec_event *event, u32 path_room, u32 room, u64 argv, u32 word_size, bool has_loop)
{
	bool small = room == ARGS_SIZE_SMALL;
	u32 args_max = small ? ARGS_MAX_SMALL : ARGS_MAX;

	if (has_loop) {
		struct args_walk walk = { .event = event, .argv = argv, .word_size = word_size };

		bpf_loop(args_max, small ? read_arg_small : read_arg_large, &walk, 0);
		return walk.end == ARGS_ALL;
	}
	for (u32 i = 0; i < args_max; i++) {
		enum args_end end = read_arg(event, event->text + path_room, room, argv, word_size, i);

		if (end != ARGS_GO_ON)
			return end == ARGS_ALL;
	}
	return false;
}

/* Delivers the event unless it does not fit. Whether that is done; also if there was no room in the ring buffer. */
static __always_inline int deliver(u32 path_room, u32 args_room, const char *path, u64 argv, int dfd, u32 word_size, int ret,
				   bool has_loop)
{
	struct exec_event *event = event_reserve(sizeof(*event) + path_room + args_room);
	bool largest = args_room == ARGS_SIZE_FAILED, all = true;
	long size;
	int argc;

	if (!event)
		return 1;
	size = bpf_probe_read_user_str(event->text, path_room, path);
	event->about = size < 0 ? EXEC_PATH_FAULT : 0;
	event->path_size = size;
	event->path_room = path_room;
	event->args_size = 0;
	event->faults = 0;
	event->argc = 0;
	if (argv)
		all = read_args(event, path_room, args_room, argv, word_size, has_loop);
	if (!largest && (!all || hidden(event->path_size) == path_room)) {
		event_discard(event);
		return 0;
	}
	if (!all) {
		argc = argv_count(argv, word_size);
		if (argc < 0)
			event->about |= EXEC_ARGS_FAULT;
		else
			event->argc = argc;
	}
	event->dfd = dfd;
	event->result = ret;
	event->ppid = task_parent_process(task_current());
	event_submit(event);
	return 1;
}

__noinline int deliver_small(u64 path, u64 argv, int dfd, u32 word_size, int ret)
{
	return deliver(PATH_SIZE_SMALL, ARGS_SIZE_SMALL, (const char *)path, argv, dfd, word_size, ret, true);
}

__noinline int deliver_large(u64 path, u64 argv, int dfd, u32 word_size, int ret)
{
	return deliver(PATH_SIZE, ARGS_SIZE_FAILED, (const char *)path, argv, dfd, word_size, ret, true);
}

__noinline int deliver_small_unrolled(u64 path, u64 argv, int dfd, u32 word_size, int ret)
{
	return deliver(PATH_SIZE_SMALL, ARGS_SIZE_SMALL, (const char *)path, argv, dfd, word_size, ret, false);
}

__noinline int deliver_large_unrolled(u64 path, u64 argv, int dfd, u32 word_size, int ret)
{
	return deliver(PATH_SIZE, ARGS_SIZE_FAILED, (const char *)path, argv, dfd, word_size, ret, false);
}

static __always_inline int exec_failed(u64 path, u64 argv, int dfd, u32 word_size, int ret, bool has_loop)
{
	struct task_struct___part *task = task_current();

	if (is_restart(ret) || task_filtered())
		return 0;
	/*
	 * A program that turns out to be broken halfway: the old one's memory is gone, and what lies at its addresses
	 * now is something else.  The new one has not got its arguments yet.
	 */
	if (!BPF_CORE_READ(task, mm, arg_end))
		path = argv = UNREADABLE;
	if (has_loop) {
		if (!deliver_small(path, argv, dfd, word_size, ret))
			deliver_large(path, argv, dfd, word_size, ret);
	} else if (!deliver_small_unrolled(path, argv, dfd, word_size, ret)) {
		deliver_large_unrolled(path, argv, dfd, word_size, ret);
	}
	return 0;
}

/* Which exec has that number, if any. */
static __always_inline enum syscall_id which_call(u64 nr, bool compat)
{
	if (syscall_is(execve, nr, compat))
		return SYSCALL_execve;
	return syscall_is(execveat, nr, compat) ? SYSCALL_execveat : SYSCALL_NONE;
}

static __always_inline int exec_failed_with(enum syscall_id syscall, const u64 *args, bool compat, int ret, bool has_loop)
{
	bool at = syscall == SYSCALL_execveat;

	/* it only asks whether the file may be executed: it is no exec where it succeeds, and none where it fails */
	if (at && args[4] & AT_EXECVE_CHECK)
		return 0;
	return exec_failed(at ? args[1] : args[0], at ? args[2] : args[1], at ? args[0] : AT_FDCWD, compat ? 4 : 8, ret,
			   has_loop);
}

/* A call of any number and kind that fails. */
static __always_inline int failed_call(const struct sys_exit *exit, int ret, bool has_loop)
{
	u64 nr = sys_exit_nr(exit), args[SYSCALL_ARGS];
	enum syscall_id syscall;
	bool compat;

	/* most calls are none of these, whatever their kind */
	if (!which_call(nr, false) && !which_call(nr, true))
		return 0;
	compat = sys_exit_is_compat(exit);
	syscall = which_call(nr, compat);
	if (!syscall)
		return 0;
	ret = sys_exit_result(exit, nr, ret);
	if (ret >= 0)
		return 0;
	sys_exit_args(args, exit, compat);
	return exec_failed_with(syscall, args, compat, ret, has_loop);
}

/* One program for all that fail, where that works (lib/bpf/syscall.bpf.h says where not). */
static __always_inline int failed_exit(struct bpf_raw_tracepoint_args *ctx, bool has_loop)
{
	int ret = ctx->args[1];
	struct sys_exit exit;

	/* one that seccomp has turned into a signal has its number for its result */
	if (ret >= 0 && ret != NR_execve && ret != NR_execveat)
		return 0;
	exit = sys_exit_of(ctx);
	return failed_call(&exit, ret, has_loop);
}

SEC("raw_tp/sys_exit")
int any_exit(struct bpf_raw_tracepoint_args *ctx)
{
	return failed_exit(ctx, true);
}

/* The same for kernels without bpf_loop(). */
SEC("raw_tp/sys_exit")
int any_exit_unrolled(struct bpf_raw_tracepoint_args *ctx)
{
	return failed_exit(ctx, false);
}

/*
 * The same for kernels that let a program on a tracepoint be preempted: on the returns of the calls' functions, where they do
 * not.
 */
SEC("kretprobe.multi")
int any_return(struct pt_regs *ctx)
{
	int result = PT_REGS_RC(ctx);
	struct sys_exit exit;

	exit = sys_exit_of_current();
	if (refused_is_asked(ctx)) {
		if (!refused_returns(ctx))
			return 0;
		/* what is no failure is seen to be none there */
		result = arch_result(exit.regs);
	} else if (result >= 0) {
		return 0;
	}
	return failed_call(&exit, result, true);
}

/* And one for each call of each kind, for the other kernels. */
static __noinline int exit_64(struct syscall_exit *ctx)
{
	enum syscall_id syscall = which_call(ctx->nr, false);
	u64 args[SYSCALL_ARGS];

	/* exec_succeeded() has seen it; by now execveat(2) is also execve(2) (set_personality_64bit() in the kernel) */
	if (ctx->ret >= 0) {
		if (syscall == SYSCALL_execve)
			atomic_add(&exec_counts.returned, 1);
		return 0;
	}
	if (!syscall_exit_args(args, ctx))
		return exec_failed(UNREADABLE, UNREADABLE, AT_FDCWD, 8, ctx->ret, true);
	return exec_failed_with(syscall, args, false, ctx->ret, true);
}

static __noinline int exit_32(struct pt_regs *ctx, u64 nr)
{
	int ret = PT_REGS_RC(ctx);
	u64 args[SYSCALL_ARGS];

	if (ret >= 0)
		return 0;
	if (!compat_exit_args(args, ctx, nr))
		return exec_failed(UNREADABLE, UNREADABLE, AT_FDCWD, 4, ret, true);
	return exec_failed_with(which_call(nr, true), args, true, ret, true);
}

SYSCALL_EXITS(execve)
SYSCALL_EXITS(execveat)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
