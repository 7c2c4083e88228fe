/* SPDX-License-Identifier: BSD-2-Clause */
/* statsnoop-load COUNT [WRITERS [RATE]]: asks for the attributes of a file that is not there. */
#include <sys/stat.h>

#include "work.h"

static void ask(void)
{
	struct stat status;

	stat(WORK_MARKER, &status);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, NULL, ask);
}
