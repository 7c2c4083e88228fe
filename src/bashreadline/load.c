/* SPDX-License-Identifier: BSD-2-Clause */
/* bashreadline-load COUNT [WRITERS [RATE]]: lines that are typed. */
#include <sys/prctl.h>

#include "work.h"

static char line[] = "ls -l " WORK_MARKER;

/* As GNU Readline has it. */
__attribute__((noinline, noclone, used)) char *readline_internal_teardown(int eof)
{
	__asm__ volatile("" : "+r"(eof));
	return eof ? NULL : line;
}

/* bcc's tools probe this one, and show the lines of processes with bash's name alone.  The same instructions: one call each. */
char *readline(int eof) __attribute__((alias("readline_internal_teardown")));

static void be_bash(void)
{
	prctl(PR_SET_NAME, "bash");
}

static void make(void)
{
	if (!readline_internal_teardown(0))
		exit(1);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, be_bash, make);
}
