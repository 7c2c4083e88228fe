/* SPDX-License-Identifier: BSD-2-Clause */
#include <sys/ipc.h>
#include <sys/shm.h>

#include "law_workload.h"

/* A segment that is not there is looked for by its id, or asked for by a key. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	static int id = -1;

	(void)writer;
	(void)index;
	/* the first writer's first event makes it */
	if (id < 0)
		id = shmget(0x70726f62, 4096, IPC_CREAT | 0600);
	else if (shmget(0x70726f62, fail ? 1 << 20 : 1, 0) < 0)
		return true;
	return false;
}
