/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>

#include "law_workload.h"

static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	int fd = open(fail ? "/no/such/file" : "/dev/null", O_RDONLY);

	(void)writer;
	(void)index;
	if (fd >= 0)
		close(fd);
	return fd < 0;
}
