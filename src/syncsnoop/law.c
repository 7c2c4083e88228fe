/* SPDX-License-Identifier: BSD-2-Clause */
#include "law_workload.h"

/* A file of a tmpfs; of no file they fail. */
static bool make_event(unsigned int writer, unsigned int index, bool fail)
{
	static int fd = -1;

	if (fd < 0) {
		char path[64];

		snprintf(path, sizeof(path), "/tmp/law_syncsnoop.%u", writer);
		fd = fileno(fopen(path, "w"));
		unlink(path);
	}
	return index % 2 ? fsync(fail ? -1 : fd) : fdatasync(fail ? -1 : fd);
}
