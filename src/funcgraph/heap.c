/* SPDX-License-Identifier: BSD-2-Clause */
#include "heap.h"

#include <malloc.h>

#define MAPPED_MIN (64 << 10)	/* bytes */

void heap__map_large(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, MAPPED_MIN);
#endif
}

void heap__give_back(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}
