/* SPDX-License-Identifier: BSD-2-Clause */
#include "rights.h"

#include <unistd.h>

const char *rights__advice(void)
{
	return geteuid() ? "run it with sudo" : "root of a container may not do this: run it on the host, or in a privileged container";
}
