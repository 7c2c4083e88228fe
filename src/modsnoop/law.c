/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <sys/syscall.h>

#include "law_workload.h"

/* Removals and loads of what is no module: all of them fail. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	(void)writer;
	(void)fail;
	if (index % 2)
		syscall(SYS_finit_module, -1, "", 0);
	else
		syscall(SYS_delete_module, "no_such_module", O_NONBLOCK);
	return true;
}
