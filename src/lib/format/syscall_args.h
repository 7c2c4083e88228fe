/* SPDX-License-Identifier: BSD-2-Clause */
/* What the arguments and results of system calls mean, beyond their types. */
#ifndef PROBELIGHT_SYSCALL_ARGS_H
#define PROBELIGHT_SYSCALL_ARGS_H

#include <stdbool.h>

#include "lib/print/meaning.h"

/* Whether a pointer argument leads to a text with a 0 byte at its end, when the call begins. */
bool syscall_args__is_text(const char *argument, const char *type);

/*
 * What the numbers of an argument mean; NULL: nothing but themselves. call, argument and type: as the kernel's event has them. A constant.
 */
const struct meaning *syscall_args__meaning(const char *call, const char *argument, const char *type);

/* Of what calls return: errors below 0. */
const struct meaning *syscall_args__result(void);

#endif
