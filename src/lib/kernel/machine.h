/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the architecture is like that the program is built for, where the kernel's numbers and ways differ.  What its code looks like:
 * code.h.  The BPF side has lib/bpf/arch.bpf.h, numbers and functions of system calls are in lib/shared/syscalls.h.
 */
#ifndef PROBELIGHT_MACHINE_H
#define PROBELIGHT_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

/* As uname -m says it: "x86_64", "aarch64". */
const char *machine__name(void);

/* Whether the running kernel takes 32-bit system calls.  Changes nothing of the process. */
bool machine__has_compat(void);

/*
 * The number of TIF_NEED_RESCHED_LAZY in a kernel of that version (kernel_version()), by which a task is marked whose CPU may switch at the
 * next tick.  The number before it is TIF_NEED_RESCHED then.  0: the kernel has no such flag (before 6.13).
 */
uint32_t machine__lazy_flag(uint32_t version);

/*
 * Whether the kernel loads programs for trampolines (fentry, fexit) that it then cannot attach: so does arm64 without direct calls
 * (before 6.4), where only an attempt to attach tells.
 */
bool machine__loads_in_vain(void);

/*
 * How many parameters a function may have that programs on trampolines are attached to, in a kernel of that version.  With more, the kernel
 * loads such a program, and refuses it when it is attached.
 */
uint32_t machine__trampoline_args(uint32_t version);

/*
 * Whether a call leaves its return address in a register (the link register) and not on the stack.  A stack that is taken at a function's
 * first instruction then lacks the direct caller: the kernel unwinds by frame records, and the function has not written its own yet.
 */
bool machine__has_link(void);

#endif
