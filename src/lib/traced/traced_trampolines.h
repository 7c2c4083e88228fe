/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A few functions that have programs of their own on the kernel's trampolines (fentry, fexit): they cost a third of probes, see every
 * return, and what the kernel skips is counted on each kernel.  A name must stand for one function: a trampoline is on the first of
 * several.
 *
 *	if (!traced_trampolines__find(&traced, ids, &fault))
 *		…
 *	traced_trampolines__prepare(&traced, tool, "begin_call", ids);		before load
 *	traced_trampolines__attach(&traced, tool, "begin_call");
 */
#ifndef PROBELIGHT_TRACED_TRAMPOLINES_H
#define PROBELIGHT_TRACED_TRAMPOLINES_H

#include "lib/print/fault.h"
#include "traced.h"

/*
 * 0, and the functions' ids in the kernel's BTF; or -errno with a few words in fault: which of them cannot have them, and why not.
 */
int traced_trampolines__find(const struct traced *traced, uint32_t ids[TRACED_FEW], struct fault *fault);

/* Has the programs NAME_0 … (bpf/traced.bpf.h) loaded for the functions, in their order.  tool->err. */
int traced_trampolines__prepare(const struct traced *traced, struct tool *tool, const char *name, const uint32_t ids[TRACED_FEW]);

/* Attaches them.  tool->attach->err. */
int traced_trampolines__attach(const struct traced *traced, struct tool *tool, const char *name);

#endif
