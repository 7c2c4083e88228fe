/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_BASHREADLINE_H
#define PROBELIGHT_BASHREADLINE_H

#include "lib/shared/event.h"
#include "lib/shared/path.h"

struct bashreadline_event {
	struct event_task task;
	__u32 size;		/* of the line, with its 0 byte; 0: it could not be read */
	__u16 is_cut;		/* the line is longer than PATH_SIZE - 1 bytes */
	__u16 is_zsh;		/* some of its bytes are two (Meta), and it ends with a newline */
	char line[];
};

#endif
