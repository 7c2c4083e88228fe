/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_GETHOSTLATENCY_H
#define PROBELIGHT_GETHOSTLATENCY_H

#include "lib/shared/event.h"
#include "lib/shared/path.h"

#define GETHOST_NOT_FOUND (-4096)	/* in place of an error: gethostbyname_r() has returned 0, and no host */

/* The name that is looked up lies at the end. */
struct gethost_event {
	struct event_task task;
	__u64 latency_ns;
	__s32 result;		/* 0, EAI_…, -errno or GETHOST_NOT_FOUND */
	__u32 by_name;		/* gethostbyname(), else getaddrinfo() */
	__u32 name_size;	/* with the 0 byte; 0: it could not be read */
	__u32 has_name;		/* getaddrinfo() needs none */
	char name[];
};

#define GETHOST_CALLS_MAX 10240	/* under way at the same time */

#endif
