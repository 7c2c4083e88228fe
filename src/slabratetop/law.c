/* SPDX-License-Identifier: BSD-2-Clause */
#include "law_workload.h"

/* getcwd(2), without the C library's: for the name the kernel allocates one object, and frees it. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	char name[64];

	(void)writer;
	(void)index;
	(void)fail;
	if (syscall(SYS_getcwd, name, sizeof(name)) < 0)
		law_die("getcwd");
	return false;
}
