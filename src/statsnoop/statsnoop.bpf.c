/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls that ask for the attributes of a file or file system, seen once, when they return: the path is then in memory for sure
 * (the kernel has just read it).
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "statsnoop.h"

#define EVENT_SLOT_SIZE (sizeof(struct stat_event) + 2 * PATH_SIZE)
#include "lib/bpf/event_counts.bpf.h"
#include "lib/bpf/exits.bpf.h"
#include "lib/bpf/files.bpf.h"
#include "lib/bpf/hidden.bpf.h"
#include "lib/bpf/path.bpf.h"
#include "lib/bpf/row_stack.bpf.h"

const volatile bool have_types = false;		/* the kernel tells its types: a descriptor's file has a name */

/* Whether the call takes a descriptor and no path. */
static __always_inline bool takes_fd(enum syscall_id syscall)
{
	return syscall == SYSCALL_newfstat || syscall == SYSCALL_fstatfs || syscall == SYSCALL_fstat64 ||
	       syscall == SYSCALL_fstatfs64 || syscall == SYSCALL_fstat;
}

/* Whether the path may be relative to a descriptor. */
static __always_inline bool takes_dir(enum syscall_id syscall)
{
	return syscall == SYSCALL_newfstatat || syscall == SYSCALL_fstatat64 || syscall == SYSCALL_statx ||
	       syscall == SYSCALL_file_getattr;
}

static __always_inline bool exit_is_unwanted(enum syscall_id syscall, long result)
{
	return exit_filtered(result);
}

static __always_inline int call_exited(void *ctx, const struct exited *exited, const bool single)
{
	/*
	 * 0, which the verifier does not know.  With it, what is a constant for some calls is a number for all, and the verifier walks
	 * what follows once and not for each call.
	 */
	u64 zero = hidden_zero();
	bool by_fd = takes_fd(exited->syscall), by_dir = takes_dir(exited->syscall), has_fd;
	struct path_text texts[2] = {};
	struct stat_event *event;
	int fd = exited->args[0];
	u32 about, call;
	u16 room;

	if (!by_fd)
		texts[0].from = (const char *)exited->args[by_dir ? 1 : 0];
	has_fd = by_fd || (by_dir && fd != AT_FDCWD);
	texts[1].in_kernel = true;
	if (has_fd && have_types)
		texts[1].from = single ? files_name(fd) : files_name_inline(fd);
	about = ((has_fd ? STAT_FD : 0) | (by_fd ? STAT_NO_PATH : 0) | (by_dir && !exited->args[1] ? STAT_NULL : 0)) | zero;
	call = exited->syscall | zero;
	fd |= zero;
	/* not later */
	barrier_var(about);
	barrier_var(call);
	barrier_var(fd);
	for (int i = 0; i < 2; i++) {
		texts[i].from = (const char *)((u64)texts[i].from | zero);
		barrier_var(texts[i].from);
	}
	event = event_reserve_paths(sizeof(*event), 0, texts, 2, &room);
	if (!event)
		return 0;
	event->result = exited->result;
	event->fd = fd;
	event->call = call;
	event->about = about | (texts[1].size ? 0 : STAT_NO_FILE);
	event->room = room;
	event->path_size = texts[0].size;
	event->file_size = texts[1].size;
	__builtin_memset(event->reserved, 0, sizeof(event->reserved));
	event_submit_from(ctx, event);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
