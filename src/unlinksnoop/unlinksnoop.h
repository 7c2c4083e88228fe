/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_UNLINKSNOOP_H
#define PROBELIGHT_UNLINKSNOOP_H

#include "lib/shared/event.h"
#include "lib/shared/path.h"

#define PATH_SIZE_SHORT 128	/* most paths fit; the others get a record of PATH_SIZE */

enum unlink_call {
	UNLINK,		/* unlink, unlinkat, io_uring */
	UNLINK_DIR,	/* rmdir, unlinkat with AT_REMOVEDIR, io_uring */
};

struct unlink_event {
	struct event_task task;
	__s32 result;		/* 0 or -errno */
	__u16 call;		/* enum unlink_call */
	__u16 path_size;	/* with the 0 byte; 0: there is no path, and the result says why */
	char path[];
};

#endif
