/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers that a kprobe's context has, by the names that the kernel's own probes take (regs_query_register_offset() in
 * arch/x86/kernel/ptrace.c and arch/arm64/kernel/ptrace.c).  Another architecture is a table here.
 */
#ifndef PROBELIGHT_REGISTERS_H
#define PROBELIGHT_REGISTERS_H

#include "lib/print/fault.h"

#define REGISTERS_STACK "sp"

/* One for messages: that of a function's first argument. */
#ifdef __aarch64__
#define REGISTERS_EXAMPLE "x0"
#define REGISTERS_RESULT "x0"	/* what a function returns */
#define REGISTERS_IP "pc"
#else
#define REGISTERS_EXAMPLE "di"
#define REGISTERS_RESULT "ax"
#define REGISTERS_IP "ip"
#endif

/* Where struct pt_regs has the register of that name ("di", without "%"): bytes; -EINVAL with one line in fault. */
int registers__offset(const char *name, struct fault *fault);

/* The name of the register at that offset, or NULL. */
const char *registers__name(unsigned offset);

#endif
