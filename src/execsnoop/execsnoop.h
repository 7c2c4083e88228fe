/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_EXECSNOOP_H
#define PROBELIGHT_EXECSNOOP_H

#include "lib/shared/event.h"
#include "lib/shared/path.h"

/*
 * Room for the path and for the arguments: most need the small record, a compiler's command line the middle one,
 * a linker's the large one.
 */
#define PATH_SIZE_SMALL 128
#define ARGS_SIZE_SMALL 256
#define ARGS_SIZE_MIDDLE 4096
#define ARGS_SIZE_LARGE 32768
#define ARGS_SIZE_FAILED 8192	/* instead of middle and large */

enum exec_flag {
	EXEC_PATH_FAULT = 1,	/* the path could not be read */
	EXEC_ARGS_FAULT = 2,	/* the arguments could not be read, from the last one on that is here */
};

struct exec_event {
	struct event_task task;
	__u32 ppid;
	__s32 result;		/* 0, or -errno */
	__s32 dfd;		/* of a failed call: the folder that a relative path starts from, AT_FDCWD or a descriptor */
	__u32 argc;		/* how many arguments there were */
	__u32 args_size;	/* bytes in use behind the path's room: whole arguments first, each ended by a 0 byte */
	__u32 about;		/* enum exec_flag */
	__u16 path_size;	/* with the 0 byte; says nothing where it could not be read */
	__u16 path_room;	/* PATH_SIZE_SMALL or PATH_SIZE */
	__u64 faults;		/* of a failed call: the arguments that could not be read, a bit each; they are empty */
	char text[];		/* the path, the arguments */
};

/* Execs of 64-bit programs: how many were seen to succeed, how many of those to return. */
struct exec_counts {
	__u64 succeeded;
	__u64 returned;
};

#endif
