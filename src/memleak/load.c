/* SPDX-License-Identifier: BSD-2-Clause */
/* memleak-load COUNT [WRITERS [RATE]]: an allocation and its end, by the C library. */
#include "work.h"

static void *volatile kept;

static void nothing(void)
{
}

static void allocate(void)
{
	kept = malloc(100);
	free(kept);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, nothing, allocate);
}
