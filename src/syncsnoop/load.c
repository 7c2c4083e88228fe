/* SPDX-License-Identifier: BSD-2-Clause */
/* syncsnoop-load COUNT [WRITERS [RATE]]: fsync of no file. */
#include "work.h"

static void sync_nothing(void)
{
	fsync(-1);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, NULL, sync_nothing);
}
