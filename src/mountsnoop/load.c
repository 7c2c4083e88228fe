/* SPDX-License-Identifier: BSD-2-Clause */
/* mountsnoop-load COUNT [WRITERS [RATE]]: unmounts what is not there. */
#include <sys/mount.h>

#include "work.h"

static void unmount(void)
{
	umount2(WORK_MARKER, 0);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, NULL, unmount);
}
