/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_FILETOP_H
#define PROBELIGHT_FILETOP_H

#include "lib/shared/event.h"
#include "lib/shared/file_op.h"
#include "lib/shared/task_key.h"

#define FILETOP_NAME_SIZE 64	/* of a name that is longer only the begin is a key */

/* What --by does not have is 0. */
struct filetop_key {
	struct task_key task;
	__u64 inode;
	__u32 dev;
	__u32 is_cut;		/* the name is longer */
	char fs[FILE_SYSTEM_SIZE];
	char name[FILETOP_NAME_SIZE];
};

struct filetop_counts {
	__u64 reads, writes;	/* that did not fail */
	__u64 read_bytes, written_bytes;
};

#define FILETOP_KEYS 4096

#endif
