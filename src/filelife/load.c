/* SPDX-License-Identifier: BSD-2-Clause */
/* creates and removes a file: COUNT [WRITERS [RATE]], as work.h says. */
#include "work.h"

static void nothing(void)
{
}

static void live(void)
{
	static char path[64];

	/* each writer has a file of its own */
	if (!*path)
		snprintf(path, sizeof(path), WORK_MARKER ".%d", getpid());
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	unlink(path);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, nothing, live);
}
