/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_SYNCSNOOP_H
#define PROBELIGHT_SYNCSNOOP_H

#include "lib/shared/event.h"
#include "lib/shared/syscalls.h"

/* The calls that write data back. */
#define TRACED_CALLS(CALL) CALL(fsync) CALL(fdatasync) CALL(sync_file_range) CALL(syncfs) CALL(sync) CALL(msync)

#define FILE_NAME_SIZE 256	/* NAME_MAX, and the 0 byte */

/* io_uring's operations, beside enum syscall_id. */
enum sync_uring {
	SYNC_URING = 0x1000,
	SYNC_URING_FSYNC = SYNC_URING,
	SYNC_URING_FDATASYNC,
	SYNC_URING_RANGE,
};

/* The file has a name, which could not be read. */
#define SYNC_FILE_FAULT 0xffff

struct sync_event {
	struct event_task task;
	__u64 latency_ns;
	__s32 result;		/* 0 or -errno */
	__s32 fd;		/* as passed; -1: the call has none */
	__u16 call;		/* enum syscall_id or sync_uring */
	__u16 file_size;	/* of the name with its 0 byte; 0: there is none, or it is not known; or SYNC_FILE_FAULT */
	__u32 is_refused;	/* by seccomp: it did not run, and took no time */
	char file[FILE_NAME_SIZE];
};

#endif
