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

/* As zsh has it: "echo â", of which one byte is escaped (0xa2), and a newline. */
__attribute__((noinline, noclone, used)) char *zleread(int eof)
{
	__asm__ volatile("" : "+r"(eof));
	return eof ? NULL : line;
}

/* A line is typed, in turn into one and the other; the end of the input is no event. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	(void)fail;
	if (index % 2) {
		snprintf(line, sizeof(line), "echo \xc3\x83\x82 %u %u\n", writer, index);
		if (!zleread(0) || zleread(1))
			law_die("zleread");
		return false;
	}
	snprintf(line, sizeof(line), "echo %u %u", writer, index);
	if (!readline_internal_teardown(0) || readline_internal_teardown(1))
		law_die("readline_internal_teardown");
	return false;
}
