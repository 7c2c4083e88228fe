/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_STATSNOOP_H
#define PROBELIGHT_STATSNOOP_H

#include "lib/shared/event.h"
#include "lib/shared/path.h"
#include "lib/shared/syscalls.h"

/* The calls that ask for attributes: of a path, then of a descriptor. */
#define TRACED_CALLS(CALL) \
	CALL(newstat) CALL(newlstat) CALL(newfstatat) CALL(statx) CALL(file_getattr) CALL(statfs) \
	CALL(stat64) CALL(lstat64) CALL(fstatat64) CALL(statfs64) CALL(stat) CALL(lstat) \
	CALL(newfstat) CALL(fstatfs) CALL(fstat64) CALL(fstatfs64) CALL(fstat)

enum stat_flag {
	STAT_FD = 1,		/* the call has a descriptor: the file that is meant, or what a path is relative to */
	STAT_NO_PATH = 2,	/* … and no path */
	STAT_NO_FILE = 4,	/* the name of the descriptor's file is not known */
	STAT_NULL = 8,		/* a pointer to a path that is NULL */
};

/* The path as passed and the name of the descriptor's file lie at the end, room bytes for each. */
struct stat_event {
	struct event_task task;
	__s32 result;		/* 0 or -errno */
	__s32 fd;
	__u16 call;		/* enum syscall_id */
	__u16 about;		/* enum stat_flag */
	__u16 room;		/* PATH_ROOM_SHORT or PATH_SIZE */
	__u16 path_size;	/* with the 0 byte; 0: it could not be read */
	__u16 file_size;	/* likewise */
	__u16 reserved[3];
	char path[];
};

#endif
