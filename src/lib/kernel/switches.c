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

int switches__explain_off(struct fault *fault)
{
	return fault__set(fault, -EBUSY, "function hooks are switched off: %s is 0 (sysctl kernel.ftrace_enabled=1)", SWITCHES_FTRACE);
}

int switches__explain(struct fault *fault, int err, const char *what)
{
	if (err == -EBUSY && switches__ftrace_is_off())
		return switches__explain_off(fault);
	return fault__set(fault, err, "%s: %s", what, strerror(-err));
}

int switches__kprobes_are_off(void)
{
	char text[8];
	int got = file__read_small(SWITCHES_KPROBES, text, sizeof(text));

	return got < 0 ? got : *text == '0';
}
