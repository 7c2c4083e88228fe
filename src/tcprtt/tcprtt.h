/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_TCPRTT_H
#define PROBELIGHT_TCPRTT_H

#include "lib/shared/event.h"
#include "lib/shared/hist.h"
#include "lib/shared/socket.h"

/* --value: of the three that a socket keeps */
enum tcprtt_value {
	TCPRTT_SMOOTHED,
	TCPRTT_DEVIATION,
	TCPRTT_LEAST,
};

struct tcprtt_counts {
	struct hist times;		/* ns; of all, where not counted by key */
	struct hist_rough others;	/* of the keys without room */
	__u64 unknown;			/* segments of sockets that have not measured a round trip yet */
};

#define TCPRTT_KEYS 1024		/* their key is a struct socket_ends: what is not asked for is 0 */

#endif
