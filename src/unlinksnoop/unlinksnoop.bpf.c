/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files and folders being removed, in the kernel functions that every such call ends in.  The path is the kernel's own
 * copy, so it is the one that was used.  It is read on entry: the functions give the copy back before they return (up
 * to 6.12), and the caller's memory may have changed by then.
 *
 * do_unlinkat(int dfd, struct filename *name) and do_rmdir(), the same arguments in filename_unlinkat() and
 * filename_rmdir(), which have taken their place on 7.2 and newer.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "lib/bpf/errno.bpf.h"
#include "lib/bpf/call.bpf.h"
#include "lib/bpf/path_filter.bpf.h"
#include "lib/bpf/tool.bpf.h"
#include "unlinksnoop.h"

#define CALLS_MAX 1024		/* in flight at the same time; one more is counted as lost */
#define LONG_CALLS_MAX 64	/* the same, with a path of PATH_SIZE_SHORT bytes and more */

/* A call between entry and return. */
struct call {
	u32 path_size;		/* 0: it could not be read; PATH_SIZE_SHORT: it is in long_paths */
	char path[PATH_SIZE_SHORT];
};

struct long_path {
	u32 size;
	char path[PATH_SIZE];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, CALLS_MAX);
	__type(key, u32);		/* the thread, as the initial pid namespace counts */
	__type(value, struct call);
} calls SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, LONG_CALLS_MAX);
	__type(key, u32);
	__type(value, struct long_path);
} long_paths SEC(".maps");

static const struct long_path empty_long_path = {};

/* The thread begins a call that a filter drops: what is kept of an earlier one, whose return was missed, must go. */
static __always_inline void drop_stale(u32 tid)
{
	if (filter.active && call_drop_stale(&calls, &tid))
		bpf_map_delete_elem(&long_paths, &tid);
}

static __always_inline int enter(struct filename *filename)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct call call = {};
	struct long_path *path;
	const char *name = NULL;
	long size;

	if (task_filtered()) {
		drop_stale(tid);
		return 0;
	}
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

static __always_inline void submit(struct unlink_event *event, u16 kind, long result, u32 size, const u32 room)
{
	if (path_filtered(event->path, size, room)) {
		event_discard(event);
		return;
	}
	event->result = result;
	event->call = kind;
	event->path_size = size;
	event_submit(event);
}

static __always_inline int leave_long(u32 tid, u16 kind, long result)
{
	struct long_path *path = bpf_map_lookup_elem(&long_paths, &tid);
	struct unlink_event *event;

	if (!path)
		return 0;
	event = event_reserve(sizeof(*event) + PATH_SIZE);
	if (event) {
		bpf_probe_read_kernel_str(event->path, PATH_SIZE, path->path);
		submit(event, kind, result, path->size, PATH_SIZE);
	}
	bpf_map_delete_elem(&long_paths, &tid);
	return 0;
}

static __always_inline int leave(u16 kind, long result)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();
	struct unlink_event *event;
	struct call *call;

	/* nothing: filtered, lost, or begun before the tool was attached */
	call = bpf_map_lookup_elem(&calls, &tid);
	if (!call)
		return 0;
	/* one that is restarted begins anew: it waited for the holder of a delegation */
	if (is_restart(result) || result_filtered(result)) {
		bpf_map_delete_elem(&long_paths, &tid);
	} else if (call->path_size == PATH_SIZE_SHORT) {
		leave_long(tid, kind, result);
	} else {
		event = event_reserve(sizeof(*event) + PATH_SIZE_SHORT);
		if (event) {
			__builtin_memcpy(event->path, call->path, PATH_SIZE_SHORT);
			submit(event, kind, result, call->path_size, PATH_SIZE_SHORT);
		}
	}
	call_end(&calls, &tid);
	return 0;
}

/* A thread that ends takes what it left behind with it. */
SEC("tp/sched/sched_process_exit")
int thread_exit(void *ctx)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();

	if (call_thread_exit(&calls))
		bpf_map_delete_elem(&long_paths, &tid);
	return 0;
}

SEC("kprobe")
int BPF_KPROBE(unlink_enter, int dfd, struct filename *filename)
{
	return enter(filename);
}

SEC("kretprobe")
int BPF_KRETPROBE(unlink_exit, int result)
{
	return leave(UNLINK, result);
}

SEC("kprobe")
int BPF_KPROBE(rmdir_enter, int dfd, struct filename *filename)
{
	return enter(filename);
}

SEC("kretprobe")
int BPF_KRETPROBE(rmdir_exit, int result)
{
	return leave(UNLINK_DIR, result);
}

/* The same through trampolines, for --attach fentry. */
SEC("?fentry")
int BPF_PROG(unlink_fentry, int dfd, struct filename *filename)
{
	return enter(filename);
}

SEC("?fexit")
int BPF_PROG(unlink_fexit, int dfd, struct filename *filename, int result)
{
	return leave(UNLINK, result);
}

SEC("?fentry")
int BPF_PROG(rmdir_fentry, int dfd, struct filename *filename)
{
	return enter(filename);
}

SEC("?fexit")
int BPF_PROG(rmdir_fexit, int dfd, struct filename *filename, int result)
{
	return leave(UNLINK_DIR, result);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
