/* SPDX-License-Identifier: BSD-2-Clause */
#include <sys/prctl.h>

#include "law_workload.h"

/* The task takes the name that it has; it cannot fail. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	(void)writer;
	(void)index;
	(void)fail;
	if (prctl(PR_SET_NAME, "law_writer"))
		law_die("prctl");
	return false;
}
