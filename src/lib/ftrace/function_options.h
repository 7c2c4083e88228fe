/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options of the kernel's tracer `function`: that it records stacks (func_stack_trace), or arguments (func-args).
 *
 * Each instance has files for them, but behind these is one option for the whole system, until 76680d0d2825 ("tracing: Have function tracer
 * define options per instance"; 5.10 to 6.12 have one, 7.2 has one each).  Who starts the tracer next gets what is set.  So ours is set
 * only while our own tracer starts, and given back even after SIGKILL (lease.h).
 */
#ifndef PROBELIGHT_FTRACE_FUNCTION_OPTIONS_H
#define PROBELIGHT_FTRACE_FUNCTION_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "instance.h"
#include "lease.h"
#include "lib/print/fault.h"

#define FUNCTION_OPTION_STACKS "func_stack_trace"
#define FUNCTION_OPTION_ARGS "func-args"

#define FUNCTION_OPTIONS_FOLDER "options"	/* of the lease's record, in run_folder__path() */

/* Why the tracer cannot record these in an instance, for a message: "-s: …", "-a: …"; NULL: it can, or tracefs cannot be asked. */
const char *function_options__lack(bool stacks, bool args);

/* Whether a tracer that starts in the instance now records stacks, by an option of ours or of somebody else's. */
bool function_options__give_stacks(const struct instance *instance);

/* Sets one, before the tracer starts.  0 or -errno with a line in fault. */
int function_options__set(struct lease *lease, const struct instance *instance, const char *option, struct fault *fault);

/* Once it has started: sets the option back.  0 or -errno.  Does nothing with a zeroed lease. */
int function_options__set_back(struct lease *lease);

#endif
