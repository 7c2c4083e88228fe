/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_KILLSNOOP_H
#define PROBELIGHT_KILLSNOOP_H

#include "lib/shared/event.h"

enum kill_call {
	CALL_KILL,
	CALL_TKILL,
	CALL_TGKILL,
};

struct kill_event {
	struct event_task task;
	__s32 result;		/* 0 or -errno */
	__s32 signal;		/* as passed */
	__s32 target;		/* as passed, in the caller's pid namespace: pid (kill), tid (tkill, tgkill) */
	__s32 target_pid;	/* tgkill: the process of target, as passed; otherwise 0 */
	__u32 call;		/* enum kill_call */
	__u32 reserved;
};

#endif
