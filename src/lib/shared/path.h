/* SPDX-License-Identifier: BSD-2-Clause */
/* Paths in events. */
#ifndef PROBELIGHT_PATH_H
#define PROBELIGHT_PATH_H

#define PATH_SIZE 4096		/* PATH_MAX, its 0 byte included (linux/limits.h) */
#define PATH_ROOM_SHORT 96	/* most paths fit; an event with a longer one gets PATH_SIZE (lib/bpf/path.bpf.h) */

#endif
