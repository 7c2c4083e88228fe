/* SPDX-License-Identifier: BSD-2-Clause */
#include "switches.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "file.h"

bool switches__ftrace_is_off(void)
{
	char text[8];

	return file__read_small(SWITCHES_FTRACE, text, sizeof(text)) > 0 && *text == '0';
}

void switches__explain_off(char *why, size_t size)
{
	snprintf(why, size, "function hooks are switched off: %s is 0 (sysctl kernel.ftrace_enabled=1)", SWITCHES_FTRACE);
}

int switches__explain(int err, char *why, size_t size, const char *what)
{
	if (err == -EBUSY && switches__ftrace_is_off())
		switches__explain_off(why, size);
	else
		snprintf(why, size, "%s: %s", what, strerror(-err));
	return err;
}

int switches__kprobes_are_off(void)
{
	char text[8];
	int got = file__read_small(SWITCHES_KPROBES, text, sizeof(text));

	return got < 0 ? got : *text == '0';
}
