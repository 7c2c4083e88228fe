/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_CREDSNOOP_H
#define PROBELIGHT_CREDSNOOP_H

#include "lib/shared/event.h"

/* IDs as the initial user namespace has them; capabilities with bit N for number N. */
struct cred_state {
	__u64 permitted, effective, inheritable, bounding, ambient;
	__u32 uid, euid, suid, fsuid;
	__u32 gid, egid, sgid, fsgid;
	__u32 securebits;
	__u32 user_ns;		/* its number */
};

struct cred_event {
	struct event_task task;	/* before the change */
	struct cred_state before, after;
	__u8 groups_changed;
	__u8 reserved[7];
};

#endif
