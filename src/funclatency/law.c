/* SPDX-License-Identifier: BSD-2-Clause */
#include <sys/syscall.h>

#include "law_workload.h"

/* One call of __x64_sys_getpgid, which nothing else calls meanwhile. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	(void)writer;
	(void)index;
	(void)fail;
	if (syscall(SYS_getpgid, 0) < 0)
		law_die("getpgid");
	/* so that the work takes longer than an interval */
	usleep(50);
	return false;
}
