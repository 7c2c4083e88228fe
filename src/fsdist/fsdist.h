/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_FSDIST_H
#define PROBELIGHT_FSDIST_H

#include "lib/shared/event.h"
#include "lib/shared/file_op.h"
#include "lib/shared/hist.h"

/* A class for each enum file_op. */
struct fsdist_counts {
	struct hist times;	/* ns */
};

#endif
