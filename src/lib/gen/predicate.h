/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A filter in the kernel's own filter language (Documentation/trace/events.rst, "Event filtering"), as an event's filter file and
 * PERF_EVENT_IOC_SET_FILTER take it.
 *
 *	prev_pid == 0 && !(next_comm ~ "ssh*")		((prev_pid == 0) && (!(next_comm ~ "ssh*")))
 *
 * That language compares a field with a constant and knows neither the process nor the user of the task. What would mean something else
 * there is refused, so that a filter never passes other events than the one that condition.h makes of it.
 */
#ifndef PROBELIGHT_PREDICATE_H
#define PROBELIGHT_PREDICATE_H

#include "expr.h"
#include "lib/format/format.h"

/*
 * The text, freed by the caller. The filter is one that condition__emit() took. 0; -EOPNOTSUPP with *error: the kernel's language
 * cannot say it; -ENOMEM.
 */
int predicate__make(char **text, const struct expr *tree, const struct format *format, struct expr_error *error);

#endif
