/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "law_workload.h"

static char line[64];

/* As GNU Readline has it: the line, or NULL at the end of the input. */
__attribute__((noinline, noclone, used)) char *readline_internal_teardown(int eof)
{
	__asm__ volatile("" : "+r"(eof));
	return eof ? NULL : line;
}

/* A line is typed; the end of the input is no event. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	(void)fail;
	snprintf(line, sizeof(line), "echo %u %u", writer, index);
	if (!readline_internal_teardown(0) || readline_internal_teardown(1))
		law_die("readline_internal_teardown");
	return false;
}
