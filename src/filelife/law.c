/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>

#include "law_workload.h"

/* A file that is created and removed; every fourth while it is open. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	char path[64];
	int fd;

	(void)fail;
	snprintf(path, sizeof(path), "/tmp/law_filelife.%u", writer);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		law_die(path);
	if (index % 4)
		close(fd);
	unlink(path);
	if (!(index % 4))
		close(fd);
	return false;
}
