/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <sys/stat.h>

#include "law_workload.h"

/* Files and folders in turn. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	char path[64];

	if (fail)
		return index % 20 < 10 ? unlink("/no/such/file") : rmdir("/no/such/folder");
	snprintf(path, sizeof(path), "/tmp/law_unlinksnoop.%u", writer);
	if (index % 2) {
		mkdir(path, 0700);
		return rmdir(path);
	}
	close(open(path, O_WRONLY | O_CREAT, 0600));
	return unlink(path);
}
