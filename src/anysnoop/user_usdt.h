/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes that programs and libraries have themselves, usdt:TARGET:[PROVIDER:]NAME. */
#ifndef PROBELIGHT_ANYSNOOP_USER_USDT_H
#define PROBELIGHT_ANYSNOOP_USER_USDT_H

#include "user_events.h"

/*
 * As user_events__match(), also for a name without patterns: those places of a probe that have their arguments in the same way are one
 * event.  request->operands is theirs meanwhile.
 */
int user_usdt__match(struct request *request, int (*found)(void *context, const char *system, const char *name), void *context, bool *any,
		     struct fault *fault);

/* -l: prints each place, and where it has its arguments.  0, or -errno with one line in fault. */
int user_usdt__list(const struct request *request, bool *any, struct fault *fault);

#endif
