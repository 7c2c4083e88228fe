/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_OPENSNOOP_H
#define PROBELIGHT_OPENSNOOP_H

#include "lib/shared/dir.h"
#include "lib/shared/event.h"
#include "lib/shared/path.h"
#include "lib/shared/syscalls.h"

/* The calls that open a file. */
#define TRACED_CALLS(CALL) CALL(open) CALL(creat) CALL(openat) CALL(openat2)

enum open_flag {
	OPEN_PATH_FAULT = 1,	/* the path could not be read */
	OPEN_COMPAT = 2,	/* a 32-bit call */
	OPEN_IO_URING = 4,
	OPEN_DIR_CUT = 8,	/* -F: of the folder, the outermost names are not there */
};

/* -f: an open passes if it has the values of any of them. */
#define FLAG_FILTERS_MAX 8
struct flag_filter {
	__u32 count;			/* 0: no filter */
	__u32 masks[FLAG_FILTERS_MAX];	/* the bits that are looked at … */
	__u32 values[FLAG_FILTERS_MAX];	/* … and what they must be */
};

struct open_event {
	struct event_task task;
	__s32 result;		/* a file descriptor, or -errno */
	__s32 dfd;		/* the folder that a relative path starts from, AT_FDCWD or a descriptor */
	__u32 resolve;		/* RESOLVE_…, of openat2 */
	__u32 flags_high;	/* flags that openat2 alone takes */
	__u32 flags;		/* O_…, as passed */
	__u32 mode;		/* as passed, 0 where it means nothing */
	__u16 about;		/* enum open_flag */
	__u16 path_size;	/* with the 0 byte */
	__u16 dir_size;		/* -F: bytes in use behind the path's room */
	__u16 path_room;	/* PATH_ROOM_SHORT or PATH_SIZE */
	char path[];
};

#endif
