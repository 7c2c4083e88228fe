/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/syscall.h>

#include "law_workload.h"

#define NR_OPEN_TREE 428	/* since 5.2 */

/* A mount is opened; an unmount fails. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	int fd;

	(void)writer;
	(void)index;
	if (fail)
		return umount2("/no/such/directory", 0);
	fd = (int)syscall(NR_OPEN_TREE, AT_FDCWD, "/", 0);
	if (fd >= 0)
		close(fd);
	return fd < 0;
}
