/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One program that sees a call begin and return: kprobe.session since 6.10, and fsession.multi, which 7.2 has.  The kernel
 * keeps a value for the program from one to the other, so there is no table of calls under way, which could be full or mixed
 * up by recursion.
 *
 * 	SEC("?session_probe")
 * 	int session_probe(void *ctx)
 * 	{
 * 		__u64 *began_ns = session_value(ctx);
 *
 * 		if (session_is_return(ctx))
 * 			…
 *
 * The value is 0 where the kernel has skipped the program at the begin.  At the return such a call is to be counted by
 * event_count_unmatched(), which run/missed_calls.h knows of: the name of the map `calls`, which the tool has for kernels without
 * sessions, makes it count calls and not runs of programs.
 *
 * probe/tracing.h loads such a program, funclatency/traced_session.h attaches it.  libbpf could find these two functions
 * (__ksym), but parses the BTF of the kernel and of all modules for that, 400 to 670 M instructions.  Kernels before 7.0
 * ignore ctx.
 */
#ifndef PROBELIGHT_SESSION_BPF_H
#define PROBELIGHT_SESSION_BPF_H

#include <bpf/bpf_helpers.h>

#include "lib/shared/session.h"
#include "stats.bpf.h"

static bool (*const session_is_return)(void *ctx) = (void *)SESSION_IS_RETURN;

/* Never NULL. */
static __u64 *(*const session_value)(void *ctx) = (void *)SESSION_VALUE;

#endif
