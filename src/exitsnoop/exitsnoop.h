/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_EXITSNOOP_H
#define PROBELIGHT_EXITSNOOP_H

#include "lib/shared/event.h"

struct exit_event {
	struct event_task task;
	__u64 age_ns;
	__u32 ppid;
	__u32 status;	/* as wait(2) has it */
};

#endif
