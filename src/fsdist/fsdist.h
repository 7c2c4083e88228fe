/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_FSDIST_H
#define PROBELIGHT_FSDIST_H

#include "lib/shared/event.h"
#include "lib/shared/file_op.h"
#include "lib/shared/hist.h"
#include "lib/shared/task_key.h"

/* A class for each enum file_op. */
struct fsdist_counts {
	struct hist times;		/* ns */
	struct hist_rough others;	/* --by: of the keys without room */
};

struct fsdist_key {
	struct task_key task;
	__u64 op;		/* enum file_op; 0 where --by does not have it */
};

#define FSDIST_KEYS 1024

#endif
