/* SPDX-License-Identifier: BSD-2-Clause */
#include <linux/futex.h>

#include "law_workload.h"

/* A wait that ends at once, as the word has another value; one that fails is no other event. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	static unsigned int word;

	(void)writer;
	(void)index;
	(void)fail;
	if (syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0) != -1)
		law_die("futex");
	return false;
}
