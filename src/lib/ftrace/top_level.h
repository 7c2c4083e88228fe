/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The top of tracefs as an instance, for what older kernels have there alone: function_graph before Linux 6.11.  It is one for the whole
 * system, so it is taken only where nobody else traces with it, and given back as it was (lease.h), but for two things:
 *
 * The first tracer expands its ring buffers from a few pages to 1,408 KB a CPU, for good, in every use of ftrace.  (Before Linux 6.7 not if
 * an instance's were given another size first: the kernel has one flag for all.)  So they are expanded here, and given that size back.
 * What trace_marker and bpf_printk() write meanwhile is among the records, and is read away.  That somebody has trace_pipe open cannot be
 * seen in a file: the kernel refuses the tracer then.
 */
#ifndef PROBELIGHT_FTRACE_TOP_LEVEL_H
#define PROBELIGHT_FTRACE_TOP_LEVEL_H

#include <stdbool.h>
#include <stddef.h>

#include "instance.h"
#include "lib/print/fault.h"

/* What failed, where the tracer cannot be started there: the kernel has no other word than EBUSY. */
#define TOP_STARTS "the kernel's function_graph cannot be started at the top of tracefs (does somebody read trace_pipe?)"

/* Whether this kernel has function_graph at the top alone. */
bool top_level__is_needed(void);

/*
 * Takes it, which a process can have once: its buffers are off and empty, and stamp records with CLOCK_MONOTONIC.  The instance must
 * not be one that is made; top_level__give_back() ends it, not instance__remove().  0 or -errno with a line in fault: -EBUSY names
 * what is in use, and what it says.
 */
int top_level__take(struct instance *instance, struct fault *fault);

/* Whether an instance is the top. */
bool top_level__is(const struct instance *instance);

/*
 * All is written, and the tracer is started: what the files say now is noted, so that the next start knows what is somebody else's.  0 or
 * -errno.
 */
int top_level__settle(const struct instance *instance);

/* Its files must be closed.  0 or -errno; does nothing with another instance. */
int top_level__give_back(struct instance *instance);

#endif
