/* SPDX-License-Identifier: BSD-2-Clause */
/* The arguments of a function's call. */
#ifndef PROBELIGHT_CALL_ARGS_H
#define PROBELIGHT_CALL_ARGS_H

/*
 * How many a call has in registers, by the architecture's calling convention: the first ones, of functions of the kernel and of programs.
 * Further ones are on the stack, where nothing of ours reads them.
 */
#if defined(__TARGET_ARCH_x86) || defined(__x86_64__)
#define CALL_ARGS 6
#define CALL_ARGS_LAST "arg5"	/* the last one by its number */
#elif defined(__TARGET_ARCH_arm64) || defined(__aarch64__)
#define CALL_ARGS 8
#define CALL_ARGS_LAST "arg7"
#else
#error "lib/shared/call_args.h does not know this architecture"
#endif

#endif
