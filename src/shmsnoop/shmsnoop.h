/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_SHMSNOOP_H
#define PROBELIGHT_SHMSNOOP_H

#include "lib/shared/event.h"
#include "lib/shared/syscalls.h"

#define TRACED_CALLS(CALL) CALL(shmget) CALL(shmat) CALL(shmdt) CALL(shmctl) CALL(ipc)

struct shmsnoop_event {
	struct event_task task;
	__u64 address;		/* of shmat and shmdt: where the segment is */
	__u64 bytes;		/* of shmget */
	__s32 result;		/* 0 or -errno */
	__s32 id;		/* -1: it is not known */
	__u32 key;		/* of shmget */
	__u32 flags;		/* of shmget and shmat */
	__u32 cmd;		/* of shmctl */
	__u16 call;		/* enum syscall_id, never ipc */
	__u16 known;		/* the arguments are */
};

#endif
