/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * This thread's task in the kernel: a program that compares it with bpf_get_current_task() needs no call for that on kernels
 * since 7.0 (x86-64).
 */
#ifndef PROBELIGHT_OWN_TASK_H
#define PROBELIGHT_OWN_TASK_H

#include <stdint.h>

/* Its address, found by running a program of five instructions (since 5.14); 0 where the kernel does not run it. */
uint64_t own_task__address(void);

#endif
