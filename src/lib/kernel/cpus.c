/* SPDX-License-Identifier: BSD-2-Clause */
#include "cpus.h"

#include <stdlib.h>

#include "file.h"

int cpus__first_online(void)
{
	char text[64];

	/* "0-3,5" */
	return file__read_small("/sys/devices/system/cpu/online", text, sizeof(text)) > 0 ? atoi(text) : 0;
}
