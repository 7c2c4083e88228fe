/* SPDX-License-Identifier: BSD-2-Clause */
/* Who calls a function of a program: the names of return addresses, by what the process has mapped when the row is printed. */
#ifndef PROBELIGHT_USER_CALLERS_H
#define PROBELIGHT_USER_CALLERS_H

#include <stdbool.h>

#include "functrace.h"
#include "lib/print/out.h"

/* 0 or -ENOMEM.  user_callers__close() releases it, also where it was not opened. */
int user_callers__open(void);
void user_callers__close(void);

/* Writes CALLER and CALLER_AT: "main [app]" and "/usr/bin/app+0x1234", the address of the call; or why they are not known, and none. */
void user_callers__put(struct out *out, const struct functrace_event *event);

/* Whether the last one had a function's name: another one may have one later. */
bool user_callers__has_named(void);

bool user_callers__is_same_program(const struct stack_program *one, const struct stack_program *other);

#endif
