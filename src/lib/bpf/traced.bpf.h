/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs for a few functions, one on each: traced/traced.h attaches HANDLER_0 to the first one, and so on.
 *
 *	static __always_inline int begin_probe(void *ctx, u64 function) { … }
 *	TRACED_PROGRAMS("?kprobe", begin_probe)
 */
#ifndef PROBELIGHT_TRACED_BPF_H
#define PROBELIGHT_TRACED_BPF_H

#include <bpf/bpf_helpers.h>

#define TRACED_PROGRAM(section, handler, number)  \
	SEC(section)                              \
	int handler##_##number(void *ctx)         \
	{                                         \
		return handler(ctx, number);      \
	}

/* TRACED_FEW of them. */
#define TRACED_PROGRAMS(section, handler)         \
	TRACED_PROGRAM(section, handler, 0)       \
	TRACED_PROGRAM(section, handler, 1)       \
	TRACED_PROGRAM(section, handler, 2)       \
	TRACED_PROGRAM(section, handler, 3)       \
	TRACED_PROGRAM(section, handler, 4)       \
	TRACED_PROGRAM(section, handler, 5)       \
	TRACED_PROGRAM(section, handler, 6)       \
	TRACED_PROGRAM(section, handler, 7)

#endif
