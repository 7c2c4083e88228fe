/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names of all system calls, as <asm/unistd.h> has them, of the architecture that this is built for: its own ABI, and the
 * 32-bit one (compat).  From the headers of Linux 7.3.  Numbers never change; newer kernels have calls that are not here.
 */
#ifndef PROBELIGHT_SYSCALL_NAMES_H
#define PROBELIGHT_SYSCALL_NAMES_H

#include <stdbool.h>

/* All numbers of both are below; 512 to 547 are x32's own (without its bit). */
#define SYSCALL_NUMBERS 576

/* A constant; NULL where there is no such number. */
const char *syscall_name(unsigned int number, bool compat);

/* The number of a call; -1 where there is none of that name. */
int syscall_number(const char *name, bool compat);

#endif
