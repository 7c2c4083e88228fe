/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "law_workload.h"

/* By path and by descriptor in turn. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	struct stat stat;

	(void)writer;
	if (index % 2)
		return syscall(SYS_newfstatat, AT_FDCWD, fail ? "/no/such/file" : "/dev/null", &stat, 0);
	return syscall(SYS_fstat, fail ? -1 : 0, &stat);
}
