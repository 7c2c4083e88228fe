/* SPDX-License-Identifier: BSD-2-Clause */
/* bashreadline-load COUNT [WRITERS [RATE]]: lines that are typed. */
#include "work.h"

static char line[] = "ls -l " WORK_MARKER;

/* As GNU Readline has it. */
__attribute__((noinline, noclone, used)) char *readline_internal_teardown(int eof)
{
	__asm__ volatile("" : "+r"(eof));
	return eof ? NULL : line;
}

static void make(void)
{
	if (!readline_internal_teardown(0))
		exit(1);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, NULL, make);
}
