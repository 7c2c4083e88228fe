/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_FOOSNOOP_H
#define PROBELIGHT_FOOSNOOP_H

#include "lib/shared/event.h"

/*
 * What the program in the kernel sends and foosnoop.c prints.  A new field goes here first.  Both sides include this file, so it may
 * include headers of lib/shared alone.
 */
struct foosnoop_event {
	struct event_task task;	/* who, and when: filled by event_reserve() */
	__s32 tpid;		/* as the caller gave it: a process, or below 1 a group of them */
	__s32 signal;
};

#endif
