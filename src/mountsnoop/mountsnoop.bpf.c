/* SPDX-License-Identifier: BSD-2-Clause */
/* Mounts and unmounts by the old and the new calls, seen once, when the calls return: what they were given is in memory then. */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

/* mount() and move_mount() take five */
#define ARCH_SYSCALL_ARGS 5

#include "mountsnoop.h"
#include "lib/bpf/exits.bpf.h"
#include "lib/bpf/hidden.bpf.h"
#include "lib/bpf/path.bpf.h"
#include "lib/bpf/row_stack.bpf.h"

/* include/uapi/linux/mount.h */
#define FSCONFIG_SET_STRING 1
#define FSCONFIG_SET_PATH 3
#define FSCONFIG_SET_PATH_EMPTY 4

const volatile bool have_types = false;		/* the kernel tells its types, and with them the mount namespace */

/* What is read of the kernel's structs (lib/bpf/task.bpf.h says why not these themselves). */
struct mnt_namespace___part {
	struct {
		unsigned int inum;
	} ns;
} __attribute__((preserve_access_index));

struct nsproxy___part {
	struct mnt_namespace___part *mnt_ns;
} __attribute__((preserve_access_index));

/* Since 5.12; the same in both ABIs. */
struct mount_attrs {
	u64 set;
	u64 clr;
	u64 propagation;
};

struct mount_call {
	struct path_text texts[MOUNT_TEXTS];
	struct mount_attrs attrs;
	u64 flags;
	int fd;
	int to_fd;
	u16 about;
};

static __always_inline bool exit_is_unwanted(enum syscall_id syscall, long result)
{
	return exit_filtered(result);
}

/* A text that the call must have: NULL is one that cannot be read. */
static __always_inline void take_text(struct mount_call *call, enum mount_text text, u64 from)
{
	call->texts[text].from = (const char *)from;
	call->about |= MOUNT_HAS_TEXT << text;
}

/* One that it may have. */
static __always_inline void take_optional(struct mount_call *call, enum mount_text text, u64 from)
{
	if (from)
		take_text(call, text, from);
}

/*
 * A path relative to a descriptor: NULL may be as good as an empty one, which the result tells.  Without a branch, as the verifier
 * would walk all that follows once more.
 */
static __always_inline void take_path(struct mount_call *call, enum mount_text text, u64 from)
{
	u64 sign = from | -from;

	barrier_var(sign);
	take_text(call, text, from);
	call->about |= ((sign >> 63) ^ 1) * (MOUNT_NULL << text);
}

static __always_inline void take_fd(struct mount_call *call, u64 fd)
{
	call->fd = fd;
	if (call->fd != AT_FDCWD)
		call->about |= MOUNT_HAS_FD;
}

static __always_inline void take_attrs(struct mount_call *call, u64 from, u64 size)
{
	if (from && size >= sizeof(call->attrs) && !bpf_probe_read_user(&call->attrs, sizeof(call->attrs), (const void *)from))
		call->about |= MOUNT_HAS_ATTR;
}

static __always_inline void read_call(struct mount_call *call, const u64 *args, enum syscall_id syscall)
{
	switch (syscall) {
	case SYSCALL_mount:
		take_optional(call, MOUNT_SOURCE, args[0]);
		take_text(call, MOUNT_TARGET, args[1]);
		take_optional(call, MOUNT_TYPE, args[2]);
		call->flags = args[3];
		take_optional(call, MOUNT_DATA, args[4]);
		break;
	case SYSCALL_umount:
		take_text(call, MOUNT_TARGET, args[0]);
		call->flags = args[1];
		break;
	case SYSCALL_oldumount:
		take_text(call, MOUNT_TARGET, args[0]);
		break;
	case SYSCALL_pivot_root:
		take_text(call, MOUNT_SOURCE, args[0]);
		take_text(call, MOUNT_TARGET, args[1]);
		break;
	case SYSCALL_open_tree_attr:
		take_attrs(call, args[3], args[4]);
		/* fall through */
	case SYSCALL_open_tree:
		take_fd(call, args[0]);
		take_path(call, MOUNT_SOURCE, args[1]);
		call->flags = args[2];
		break;
	case SYSCALL_move_mount:
		take_fd(call, args[0]);
		take_path(call, MOUNT_SOURCE, args[1]);
		call->to_fd = args[2];
		if (call->to_fd != AT_FDCWD)
			call->about |= MOUNT_HAS_TO_FD;
		take_path(call, MOUNT_TARGET, args[3]);
		call->flags = args[4];
		break;
	case SYSCALL_fsopen:
		take_text(call, MOUNT_TYPE, args[0]);
		call->flags = args[1];
		break;
	case SYSCALL_fsconfig:
		take_fd(call, args[0]);
		call->flags = (u32)args[1];
		take_optional(call, MOUNT_DATA, args[2]);
		if (call->flags == FSCONFIG_SET_STRING || call->flags == FSCONFIG_SET_PATH || call->flags == FSCONFIG_SET_PATH_EMPTY)
			take_optional(call, MOUNT_SOURCE, args[3]);
		break;
	case SYSCALL_fsmount:
		take_fd(call, args[0]);
		call->flags = args[1];
		call->attrs.set = args[2];
		call->about |= MOUNT_HAS_ATTR;
		break;
	case SYSCALL_fspick:
		take_fd(call, args[0]);
		take_path(call, MOUNT_TARGET, args[1]);
		call->flags = args[2];
		break;
	case SYSCALL_mount_setattr:
		take_fd(call, args[0]);
		take_path(call, MOUNT_TARGET, args[1]);
		call->flags = args[2];
		take_attrs(call, args[3], args[4]);
		break;
	default:
		break;
	}
}

static __noinline u32 mount_namespace(void)
{
	return BPF_CORE_READ(task_current(), nsproxy, mnt_ns, ns.inum);
}

/* What some calls have and others have not. */
static __always_inline void hide(struct mount_call *call)
{
	u64 zero = hidden_zero();

	for (int i = 0; i < MOUNT_TEXTS; i++)
		call->texts[i].from = (const char *)((u64)call->texts[i].from | zero);
	call->attrs.set |= zero;
	call->attrs.clr |= zero;
	call->attrs.propagation |= zero;
	call->flags |= zero;
	call->fd |= zero;
	call->to_fd |= zero;
	call->about |= zero;
}

static __always_inline int call_exited(void *ctx, const struct exited *exited, const bool single)
{
	struct mount_call call = {};
	struct mount_event *event;
	u16 room;

	read_call(&call, exited->args, exited->syscall);
	hide(&call);
	event = event_reserve_paths(sizeof(*event), 0, call.texts, MOUNT_TEXTS, &room);
	if (!event)
		return 0;
	event->flags = call.flags;
	event->attr_set = call.attrs.set;
	event->attr_clr = call.attrs.clr;
	event->propagation = call.attrs.propagation;
	event->result = exited->result;
	event->mnt_ns = have_types ? mount_namespace() : 0;
	event->fd = call.fd;
	event->to_fd = call.to_fd;
	event->call = exited->syscall;
	event->about = call.about;
	event->room = room;
	for (int i = 0; i < MOUNT_TEXTS; i++)
		event->sizes[i] = call.texts[i].size;
	event->reserved = 0;
	event_submit_from(ctx, event);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
