/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_UNLINKSNOOP_H
#define PROBELIGHT_UNLINKSNOOP_H

#include "lib/shared/dir.h"
#include "lib/shared/event.h"
#include "lib/shared/path.h"

#define PATH_SIZE_SHORT 128	/* most paths fit; the others are kept in a table of their own while the call is under way */

enum unlink_call {
	UNLINK,		/* unlink, unlinkat, io_uring */
	UNLINK_DIR,	/* rmdir, unlinkat with AT_REMOVEDIR, io_uring */
	UNLINK_RENAME,	/* --renames: rename, renameat, renameat2, io_uring, onto a name that exists */
	UNLINK_CALLS_COUNT
};

struct unlink_event {
	struct event_task task;
	__s32 result;		/* 0 or -errno */
	__u16 call;		/* enum unlink_call */
	__u16 path_size;	/* with the 0 byte; 0: there is no path, and the result says why */
	__u16 dir_size;		/* bytes of names behind the path: the directory of a relative one (lib/shared/dir.h) */
	__u16 dir_is_cut;	/* its outermost names are not there; without names: it is not known */
	__u32 is_refused;	/* by seccomp, before the kernel has looked at the path */
	char text[];
};

#define UNLINK_TEXT_MAX (PATH_SIZE + DIR_ROOM)

#endif
