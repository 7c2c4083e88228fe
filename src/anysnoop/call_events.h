/* SPDX-License-Identifier: BSD-2-Clause */
/* Which functions of the kernel a request means, as events of anysnoop (k:vfs_*). */
#ifndef PROBELIGHT_CALL_EVENTS_H
#define PROBELIGHT_CALL_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/gen/source.h"
#include "lib/print/fault.h"

/*
 * As sources__match(), for REQUEST_CALL and REQUEST_CALL_RETURN: the kernel matches the pattern, and knows those that ftrace
 * can trace (lib/ftrace/functions.h). Says which of them must not or cannot be probed.  found() gets "[MODULE:]FUNC", when
 * all are announced to sources.
 */
int call_events__match(struct sources *sources, const struct request *request,
		       int (*found)(void *context, const char *system, const char *name), void *context, bool *any, struct fault *fault);

/*
 * Makes a function of a request that is given by an address, "0xffffffff81234567", one by its name and the offset in it.  0; -errno with
 * one line in fault.
 */
int call_events__resolve(struct request *request, struct fault *fault);

/* Whether the kernel has the function of a request for a place in it, "FUNC+9".  0; -errno with one line in fault. */
int call_events__check(const struct request *request, struct fault *fault);

/* Whether programs must not be attached to the function that is named, as they run it themselves; fault says so in one line. */
bool call_events__refuses(const struct request *request, struct fault *fault);

/* Whether a field of a function is a register or on its stack: newer kernels give kprobe.multi the registers of arguments only. */
bool call_events__ask_for_registers(const struct requests *requests);

#endif
