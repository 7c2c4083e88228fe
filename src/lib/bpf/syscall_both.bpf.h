/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The programs of a tool that sees system calls begin and end: PREFIX_enter and PREFIX_exit on raw tracepoints, and PREFIX_enter_event and
 * PREFIX_exit_event, which do the same on the events, as from 7.0 on programs on raw tracepoints can be preempted, and the kernel skips
 * them for the other tasks of the CPU.  The user side loads one pair (kernel__preempts_programs()).
 *
 *	int begins(const struct sys_exit *at)
 *	int ends(void *ctx, const struct sys_exit *at, s64 result)
 *
 *	SYSCALL_BOTH(futex, begins, ends)
 *
 * Include it after vmlinux.h.
 */
#ifndef PROBELIGHT_SYSCALL_BOTH_BPF_H
#define PROBELIGHT_SYSCALL_BOTH_BPF_H

#include "role.bpf.h"
#include "syscall.bpf.h"
#include "tp_prog.bpf.h"

#define SYSCALL_BOTH(prefix, begins, ends)                                                  \
	SEC("raw_tp/sys_exit") SEES_END                                                     \
	int prefix##_exit(struct bpf_raw_tracepoint_args *ctx)                              \
	{                                                                                   \
		struct sys_exit at = sys_exit_of(ctx);                                      \
                                                                                            \
		return ends(ctx, &at, (s64)ctx->args[1]);                                   \
	}                                                                                   \
                                                                                            \
	SEC("raw_tp/sys_enter") SEES_BEGIN                                                  \
	int prefix##_enter(struct bpf_raw_tracepoint_args *ctx)                             \
	{                                                                                   \
		struct sys_exit at = sys_exit_of(ctx);                                      \
                                                                                            \
		return begins(&at);                                                         \
	}                                                                                   \
                                                                                            \
	SEC("tp/raw_syscalls/sys_exit") SEES_END                                            \
	int TP_PROG(prefix##_exit_event, struct tp_raw_syscalls__sys_exit *ctx)             \
	{                                                                                   \
		struct sys_exit at = sys_exit_of_current();                                 \
                                                                                            \
		return ends(ctx, &at, ctx->ret);                                            \
	}                                                                                   \
                                                                                            \
	SEC("tp/raw_syscalls/sys_enter") SEES_BEGIN                                         \
	int TP_PROG(prefix##_enter_event, struct tp_raw_syscalls__sys_enter *ctx)           \
	{                                                                                   \
		struct sys_exit at = sys_exit_of_current();                                 \
                                                                                            \
		return begins(&at);                                                         \
	}

#endif
