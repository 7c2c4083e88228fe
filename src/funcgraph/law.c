/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>

#include "law_workload.h"

/* One call of vfs_open. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	int fd = open("/dev/null", O_RDONLY);

	(void)writer;
	(void)index;
	(void)fail;
	if (fd < 0)
		law_die("/dev/null");
	close(fd);
	return false;
}
