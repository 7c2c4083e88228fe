/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files and directories being removed, in the kernel functions that every such call ends in.  The path is the kernel's own
 * copy, so it is the one that was used.  It is read on entry: the functions give the copy back before they return (up
 * to 6.12), and the caller's memory may have changed by then.
 *
 * do_unlinkat(int dfd, struct filename *name) and do_rmdir(), the same arguments in filename_unlinkat() and
 * filename_rmdir(), which have taken their place on 7.2 and newer.
 *
 * --renames: do_renameat2(olddfd, from, newdfd, to, flags), on 7.2 filename_renameat2(), has the path; whether there is something
 * under that name, vfs_rename() is the first to know.
 *
 * A call that seccomp refuses does not come so far; there is no copy of its path, and the caller's memory is read.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "lib/bpf/errno.bpf.h"
#include "lib/bpf/call.bpf.h"
#include "lib/bpf/dir.bpf.h"
#include "lib/bpf/path_filter.bpf.h"
#include "lib/bpf/refused.bpf.h"
#include "lib/bpf/suppressed.bpf.h"
#include "lib/bpf/row_stack.bpf.h"
#include "lib/bpf/tool.bpf.h"
#include "unlinksnoop.h"

#define CALLS_MAX 1024		/* in flight at the same time; one more is counted as lost */
#define LONG_CALLS_MAX 64	/* the same, with a path of PATH_SIZE_SHORT bytes and more */
#define RENAME_EXCHANGE 2	/* include/uapi/linux/fs.h */
#define AT_REMOVEDIR 0x200	/* include/uapi/linux/fcntl.h */

/* A call between entry and return. */
struct call {
	s32 dfd;		/* where a relative path starts */
	u16 path_size;		/* 0: it could not be read; PATH_SIZE_SHORT: it is in long_paths */
	u8 kind;		/* enum unlink_call */
	/* of renames: */
	u8 unwanted;		/* the filters drop it, if it is an event */
	u8 begun;		/* vfs_rename() was called */
	u8 replaces;		/* and something goes */
	u8 reserved[2];
	char path[PATH_SIZE_SHORT];
};

struct long_path {
	u32 size;
	char path[PATH_SIZE];
};

CALLS(CALLS_MAX, struct call);

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, LONG_CALLS_MAX);
	__type(key, u32);
	__type(value, struct long_path);
} long_paths SEC(".maps");

/* An event while it is made: how large it gets shows then, and only so much goes into the ring buffer. */
struct record {
	u64 words[(sizeof(struct unlink_event) + UNLINK_TEXT_MAX) / 8];
};

/*
 * One for each program that makes them: a program in a trampoline can be preempted, and another one run on the same CPU.  The user
 * side makes do with one where they are on probes, which cannot.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, UNLINK_CALLS_COUNT);
	__type(key, u32);
	__type(value, struct record);
} records SEC(".maps");

/* What is read of the kernel's structs (task.bpf.h says why not these themselves). */
struct dentry___inode {
	struct inode___part *d_inode;
} __attribute__((preserve_access_index));

/* What vfs_rename() is called with since 5.12 (9fe61450972d). */
struct renamedata___part {
	struct dentry___inode *old_dentry;
	struct dentry___inode *new_dentry;
	unsigned int flags;
} __attribute__((preserve_access_index));

const volatile bool full_path = false;	/* -F */
const volatile bool has_loop = false;	/* bpf_loop() is there */

const char empty_long_path[sizeof(struct long_path)] = {};

/* The thread begins a call that a filter drops: what is kept of an earlier one, whose return was missed, must go. */
static __always_inline void drop_stale(u32 tid)
{
	if (filter.active && call_drop_stale(&calls, &tid))
		bpf_map_delete_elem(&long_paths, &tid);
}

/* unwanted, a constant where it is false: the call is kept nevertheless. */
static __always_inline int enter(u8 kind, int dfd, struct filename *filename, bool unwanted)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct call call = { .dfd = dfd, .kind = kind, .unwanted = unwanted };
	struct long_path *path;
	const char *name = NULL;
	long size;

	/*
	 * An error pointer where the path was empty, too long or not to be read: the call returns it.  Not to be tried: 5.10
	 * counts a fault of the program as a miss of the probe.
	 */
	if ((unsigned long)filename < (unsigned long)-MAX_ERRNO) {
		name = BPF_CORE_READ(filename, name);
		size = bpf_probe_read_kernel_str(call.path, sizeof(call.path), name);
		call.path_size = size < 0 ? 0 : size;
	}
	if (!call_begin(&calls, &tid, &call) || call.path_size < PATH_SIZE_SHORT)
		return 0;
	if (bpf_map_update_elem(&long_paths, &tid, &empty_long_path, BPF_ANY))
		goto lost;
	path = bpf_map_lookup_elem(&long_paths, &tid);
	if (!path)
		goto lost;
	size = bpf_probe_read_kernel_str(path->path, sizeof(path->path), name);
	path->size = size < 0 ? 0 : size;
	return 0;
lost:
	call_end(&calls, &tid);
	event_count_no_room();
	return 0;
}

static __always_inline int enter_removal(u8 kind, int dfd, struct filename *filename)
{
	if (task_filtered()) {
		drop_stale((u32)bpf_get_current_pid_tgid());
		return 0;
	}
	return enter(kind, dfd, filename, false);
}

/* Most replace nothing and are no events: what the filters drop is kept too, and counts as filtered if it is one. */
static __always_inline int enter_rename(int dfd, struct filename *filename)
{
	u64 id = task_pid_tgid();

	if (id >> 32 == filter.self)
		return 0;
	return enter(UNLINK_RENAME, dfd, filename, !task_wanted(id, NULL));
}

/*
 * A rename that goes as far as this.  The first one of a call: an overlay's rename calls the same function once more for the file
 * system below.  Two names of one file stay both, and nothing is replaced.
 */
static __always_inline int begin_rename(struct renamedata___part *rename)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct call *call = bpf_map_lookup_elem(&calls, &tid);
	struct inode___part *target;

	if (!call || call->begun)
		return 0;
	call->begun = true;
	target = BPF_CORE_READ(rename, new_dentry, d_inode);
	call->replaces = target && target != BPF_CORE_READ(rename, old_dentry, d_inode) &&
			 !(BPF_CORE_READ(rename, flags) & RENAME_EXCHANGE);
	return 0;
}

/* Delivers an event with its path, of size bytes, in it. */
static __always_inline void output(void *ctx, struct unlink_event *event, u64 size, s32 dfd)
{
	if (size > PATH_SIZE || path_filtered(event->text, size, PATH_SIZE))
		return;
	event_fill_task(&event->task);
	event->path_size = size;
	event->dir_size = 0;
	event->dir_is_cut = true;
	/* a path of one byte is empty */
	if (full_path && size > 1 && event->text[0] != '/') {
		char *names = event->text + size;

		/* no ?: with the functions, which would be an indirect call */
		if (has_loop)
			event->dir_is_cut = !dir_read_by_loop(names, &event->dir_size, dfd);
		else
			event->dir_is_cut = !dir_read(names, &event->dir_size, dfd);
	}
	size += sizeof(*event) + event->dir_size;
	if (size <= sizeof(struct record))
		event_output_from(ctx, event, size);
}

static __always_inline void deliver(void *ctx, const struct call *call, u32 tid, long result, u32 slot)
{
	struct record *record = bpf_map_lookup_elem(&records, &slot);
	u64 size = call->path_size;
	struct unlink_event *event;

	if (!record || event_is_over())
		return;
	event = (struct unlink_event *)record;
	if (size == PATH_SIZE_SHORT) {
		struct long_path *path = bpf_map_lookup_elem(&long_paths, &tid);

		if (!path)
			return;
		bpf_probe_read_kernel_str(event->text, PATH_SIZE, path->path);
		size = path->size;
	} else {
		__builtin_memcpy(event->text, call->path, PATH_SIZE_SHORT);
	}
	event->result = result;
	event->call = call->kind;
	event->is_refused = false;
	output(ctx, event, size, call->dfd);
}

/* slot, a constant: which of the records it makes events in */
static __always_inline int leave(void *ctx, long result, u32 slot)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct call *call;

	/* nothing: filtered, lost, or begun before the tool was attached */
	call = bpf_map_lookup_elem(&calls, &tid);
	if (!call)
		return 0;
	/* a call that is restarted begins anew: it waited for the holder of a delegation */
	if (is_restart(result) || (call->kind == UNLINK_RENAME && !call->replaces)) {
		/* no event */
	} else if (call->unwanted) {
		event_count_filtered();
	} else if (!result_filtered(result)) {
		deliver(ctx, call, tid, result, slot);
	}
	if (call->path_size == PATH_SIZE_SHORT)
		bpf_map_delete_elem(&long_paths, &tid);
	call_end(&calls, &tid);
	return 0;
}

/* Which removal has that number, if any. */
static __always_inline enum syscall_id which_removal(u64 nr, bool compat)
{
	if (syscall_is(unlink, nr, compat))
		return SYSCALL_unlink;
	if (syscall_is(unlinkat, nr, compat))
		return SYSCALL_unlinkat;
	return syscall_is(rmdir, nr, compat) ? SYSCALL_rmdir : SYSCALL_NONE;
}

/* A rename is none: whether it would have replaced something is not known.  In a probe, where one record is enough. */
static __always_inline int refuse(void *ctx, const struct refused *call)
{
	enum syscall_id syscall = which_removal(call->nr, call->compat);
	bool at = syscall == SYSCALL_unlinkat;
	u32 slot = 0;
	struct record *record;
	struct unlink_event *event;
	long size;

	if (!syscall || task_filtered() || result_filtered(call->result) || event_is_over())
		return 0;
	record = bpf_map_lookup_elem(&records, &slot);
	if (!record)
		return 0;
	event = (struct unlink_event *)record;
	size = bpf_probe_read_user_str(event->text, PATH_SIZE, (const void *)call->args[at]);
	event->result = call->result;
	event->call = syscall == SYSCALL_rmdir || (at && call->args[2] & AT_REMOVEDIR) ? UNLINK_DIR : UNLINK;
	event->is_refused = true;
	output(ctx, event, size < 0 ? 0 : size, at ? (s32)call->args[0] : AT_FDCWD);
	return 0;
}

SEC("kretprobe") SEES_WHOLE
int refused(struct pt_regs *ctx)
{
	struct refused call;

	return refused_read(&call, ctx) ? refuse(ctx, &call) : 0;
}

/* A thread that ends takes what it left behind with it. */
static __always_inline void drop_all_of_thread(void)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();

	if (call_thread_exit(&calls))
		bpf_map_delete_elem(&long_paths, &tid);
}

CALL_THREAD_EXIT(drop_all_of_thread())

SEC("kprobe")
int BPF_KPROBE(unlink_enter, int dfd, struct filename *filename)
{
	return enter_removal(UNLINK, dfd, filename);
}

SEC("kretprobe")
int BPF_KRETPROBE(unlink_exit, int result)
{
	return leave(ctx, result, 0);
}

SEC("kprobe")
int BPF_KPROBE(rmdir_enter, int dfd, struct filename *filename)
{
	return enter_removal(UNLINK_DIR, dfd, filename);
}

SEC("kretprobe")
int BPF_KRETPROBE(rmdir_exit, int result)
{
	return leave(ctx, result, 0);
}

SEC("kprobe")
int BPF_KPROBE(rename_enter, int from_dfd, struct filename *from, int to_dfd, struct filename *to)
{
	return enter_rename(to_dfd, to);
}

SEC("kprobe")
int BPF_KPROBE(rename_begin, struct renamedata___part *rename)
{
	return begin_rename(rename);
}

SEC("kretprobe")
int BPF_KRETPROBE(rename_exit, int result)
{
	return leave(ctx, result, 0);
}

/* The same through trampolines, for --attach fentry. */
SEC("?fentry")
int BPF_PROG(unlink_fentry, int dfd, struct filename *filename)
{
	return enter_removal(UNLINK, dfd, filename);
}

SEC("?fexit")
int BPF_PROG(unlink_fexit, int dfd, struct filename *filename, int result)
{
	return leave(ctx, result, UNLINK);
}

SEC("?fentry")
int BPF_PROG(rmdir_fentry, int dfd, struct filename *filename)
{
	return enter_removal(UNLINK_DIR, dfd, filename);
}

SEC("?fexit")
int BPF_PROG(rmdir_fexit, int dfd, struct filename *filename, int result)
{
	return leave(ctx, result, UNLINK_DIR);
}

SEC("?fentry")
int BPF_PROG(rename_fentry, int from_dfd, struct filename *from, int to_dfd, struct filename *to)
{
	return enter_rename(to_dfd, to);
}

SEC("?fentry")
int BPF_PROG(rename_begin_fentry, struct renamedata *rename)
{
	return begin_rename((struct renamedata___part *)rename);
}

SEC("?fexit")
int BPF_PROG(rename_fexit, int from_dfd, struct filename *from, int to_dfd, struct filename *to, unsigned int flags, int result)
{
	return leave(ctx, result, UNLINK_RENAME);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
