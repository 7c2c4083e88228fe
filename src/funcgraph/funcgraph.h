/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_FUNCGRAPH_H
#define PROBELIGHT_FUNCGRAPH_H

#include "lib/shared/graph_event.h"

#define FUNCGRAPH_ROOTS 8	/* that are compared one by one; more of them are in a map */

/* What is kept of a call that has not returned: its thread and marks, and how many calls inside of it were lost. */
#define FRAMES_THREADS 1024
#define FRAMES_MAX 64
#define FRAME_WORDS 2
#include "lib/shared/frame.h"

#endif
