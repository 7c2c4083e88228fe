/* SPDX-License-Identifier: BSD-2-Clause */
#include <sys/syscall.h>
#include <time.h>

#include "law_workload.h"

/* One nanosleep(), which fails where its time is none.  Not the C library's, which makes another call of it. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	struct timespec time = { .tv_nsec = fail ? -1 : 1000 };

	(void)writer;
	(void)index;
	return syscall(SYS_nanosleep, &time, NULL) < 0;
}
