/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the resident memory of a tool with large lists small.  Does nothing where the C library is not glibc, which needs it. */
#ifndef PROBELIGHT_RUN_HEAP_H
#define PROBELIGHT_RUN_HEAP_H

/*
 * First thing in main(): has malloc(3) map blocks of 64 KB and more.  A mapped block is resident only where it was touched, and goes back
 * to the kernel when it is freed.  glibc raises its limit of 128 KB when a larger block is freed, and would then clear tables of 90 KB in
 * the heap.
 */
void heap__map_large(void);

/* Before a list that is the largest, or a fork(2): gives free memory back to the kernel, 50 to 200 KB in funcgraph. */
void heap__give_back(void);

#endif
