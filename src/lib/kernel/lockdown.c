/* SPDX-License-Identifier: BSD-2-Clause */
#include "lockdown.h"

#include <stdio.h>
#include <string.h>

/* "none [integrity] confidentiality": the mode in brackets is the current one (lockdown_read(), security/lockdown/lockdown.c). */
const char *lockdown__why(void)
{
	char modes[128] = "";
	FILE *file = fopen("/sys/kernel/security/lockdown", "re");

	if (!file)
		return NULL;
	if (!fgets(modes, sizeof(modes), file))
		*modes = 0;
	fclose(file);
	if (!strstr(modes, "[confidentiality]"))
		return NULL;
	return "this kernel is locked down (confidentiality) and does not permit tracing (boot it with lockdown=integrity)";
}
