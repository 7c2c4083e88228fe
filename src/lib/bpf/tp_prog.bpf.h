/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The form of a program on a tracepoint's event:
 *
 *	SEC("tp/sched/sched_process_fork")
 *	int TP_PROG(sched_process_fork, struct tp_sched__sched_process_fork *ctx)
 *	{
 *
 * Whatever the body returns, the program returns 1, "go on": after 0 no perf event would get the event, not even somebody
 * else's (perf_trace_run_bpf_submit(), kernel/events/core.c; perf_syscall_enter(), kernel/trace/trace_syscalls.c).
 * Programs on raw tracepoints do not decide this, nor those on probes, where each perf event has a probe of its own.
 */
#ifndef PROBELIGHT_TP_PROG_BPF_H
#define PROBELIGHT_TP_PROG_BPF_H

/* parameter: the context with its type; its name is ctx */
#define TP_PROG(name, parameter)                            \
	name(parameter);                                    \
	static __always_inline int ____##name(parameter);   \
	int name(parameter)                                 \
	{                                                   \
		____##name(ctx);                            \
		return 1;                                   \
	}                                                   \
	static __always_inline int ____##name(parameter)

#endif
