/* SPDX-License-Identifier: BSD-2-Clause */
/* A tracer of the kernel's in an instance of ours: whether the kernel has it, and who has it where only one can. */
#ifndef PROBELIGHT_FTRACE_TRACER_H
#define PROBELIGHT_FTRACE_TRACER_H

#include <stdbool.h>
#include <stddef.h>

#include "instance.h"
#include "lib/print/fault.h"

/* Whether it is a word of available_tracers: of the instance, or with NULL of tracefs itself. */
bool tracer__exists(const struct instance *instance, const char *tracer);

/*
 * Writes it into the instance's current_tracer; hooks: it hooks functions.  0, or -errno with a line in fault.  -EBUSY: one of users (a
 * list that NULL ends) runs somewhere else, and fault says where; or function hooks are switched off.
 */
int tracer__start(const struct instance *instance, const char *tracer, bool hooks, const char *const users[],
		  struct fault *fault);

/*
 * Whether one of the tracers (a list that NULL ends) runs at the top of tracefs or in an instance; then text says where: "the instance NAME
 * in tracefs".
 */
bool tracer__find_user(const char *const tracers[], char *text, size_t size);

#endif
