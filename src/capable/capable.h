/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_CAPABLE_H
#define PROBELIGHT_CAPABLE_H

#include "lib/shared/event.h"

struct capable_event {
	struct event_task task;
	__s32 result;		/* 0 or -EPERM */
	__s32 capability;
	__u32 user_ns;		/* the number of the user namespace that it is asked for */
	__u8 is_question;	/* not audited: the kernel asks what it should do, a no is no denial */
	__u8 in_setid;		/* asked by a call that sets ids */
	__u16 reserved;
};

#endif
