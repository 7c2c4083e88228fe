/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether the kernel has a hook, takes programs on it, and what they get. */
#ifndef PROBELIGHT_HOOKS_H
#define PROBELIGHT_HOOKS_H

#include <stddef.h>

#include "kinds.h"
#include "lib/format/signature.h"
#include "lib/print/fault.h"

/*
 * Finds a hook and its signature. btf: a file with another kernel's types, and then nothing else is asked; NULL: the running kernel. hook
 * (size bytes): its name as SEC() wants it. 0, or -errno with one line in fault: what the kernel does not have or cannot do.
 */
int hook__find(const char *btf, const struct kind *kind, const char *name, char *hook, size_t size, struct signature *signature,
	       struct fault *fault);

#endif
