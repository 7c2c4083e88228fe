/* SPDX-License-Identifier: BSD-2-Clause */
#include "law_workload.h"
#include "tcp_self.h"

/* One connection, of a socket with itself. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	(void)writer;
	(void)index;
	(void)fail;
	if (tcp_self_connect())
		law_die("connect");
	return false;
}
