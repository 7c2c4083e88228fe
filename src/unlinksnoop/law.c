/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "law_workload.h"

/* Files and folders in turn, two by absolute paths and two by relative ones. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	char whole[64], *path = whole;

	if (fail)
		return index % 20 < 10 ? unlink("/no/such/file") : rmdir("/no/such/folder");
	snprintf(whole, sizeof(whole), "/tmp/law_unlinksnoop.%u", writer);
	if (index % 4 >= 2 && !chdir("/tmp"))
		path += strlen("/tmp/");
	if (index % 2) {
		mkdir(path, 0700);
		return rmdir(path);
	}
	close(open(path, O_WRONLY | O_CREAT, 0600));
	return unlink(path);
}
