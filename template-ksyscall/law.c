/* SPDX-License-Identifier: BSD-2-Clause */
#include <signal.h>

#include "law_workload.h"

/* One call, which looks whether the process is there; one that fails asks for a signal that there is not. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	(void)writer;
	(void)index;
	return kill(getpid(), fail ? 1000 : 0) != 0;
}
