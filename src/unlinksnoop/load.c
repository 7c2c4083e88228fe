/* SPDX-License-Identifier: BSD-2-Clause */
/* unlinks COUNT [WRITERS [RATE]]: removes a file that is not there. */
#include "work.h"

static void remove_file(void)
{
	unlink(WORK_MARKER);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, remove_file, remove_file);
}
