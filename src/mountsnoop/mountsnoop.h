/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_MOUNTSNOOP_H
#define PROBELIGHT_MOUNTSNOOP_H

#include "lib/shared/event.h"
#include "lib/shared/path.h"
#include "lib/shared/syscalls.h"

/* The calls that mount and unmount: the old ones, and those since 5.2. */
#define TRACED_CALLS(CALL) \
	CALL(mount) CALL(umount) CALL(oldumount) CALL(pivot_root) \
	CALL(open_tree) CALL(open_tree_attr) CALL(move_mount) CALL(fsopen) CALL(fsconfig) CALL(fsmount) CALL(fspick) \
	CALL(mount_setattr)

/*
 * The texts of an event: for fsconfig() MOUNT_DATA is the key and MOUNT_SOURCE its value, for pivot_root() MOUNT_SOURCE is the new
 * root and MOUNT_TARGET where the old one goes.
 */
enum mount_text { MOUNT_SOURCE, MOUNT_TARGET, MOUNT_TYPE, MOUNT_DATA, MOUNT_TEXTS };

enum mount_flag {
	MOUNT_HAS_FD = 1,
	MOUNT_HAS_TO_FD = 2,
	MOUNT_HAS_ATTR = 4,	/* attr_set, attr_clr and propagation were passed */
	MOUNT_HAS_TEXT = 8,	/* shifted by enum mount_text: there is such a text; with size 0 it could not be read */
	MOUNT_NULL = MOUNT_HAS_TEXT << MOUNT_TEXTS,	/* so shifted: it is a path relative to a descriptor, and NULL */
};

/* The texts lie at the end, room bytes for each. */
struct mount_event {
	struct event_task task;
	__u64 flags;		/* as passed; of fsconfig() the command */
	__u64 attr_set;		/* MOUNT_ATTR_… */
	__u64 attr_clr;
	__u64 propagation;	/* MS_… */
	__s32 result;		/* a descriptor, 0 or -errno */
	__u32 mnt_ns;		/* inode of the mount namespace; 0: not known */
	__s32 fd;
	__s32 to_fd;		/* move_mount()'s second one */
	__u16 call;		/* enum syscall_id */
	__u16 about;		/* enum mount_flag */
	__u16 room;		/* PATH_ROOM_SHORT or PATH_SIZE */
	__u16 sizes[MOUNT_TEXTS];	/* with the 0 byte */
	__u16 reserved;
	char texts[];
};

#endif
