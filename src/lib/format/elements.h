/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements of a tracepoint's fields that are arrays of a fixed size: "args[1]" of raw_syscalls:sys_enter, as fields of their own. */
#ifndef PROBELIGHT_ELEMENTS_H
#define PROBELIGHT_ELEMENTS_H

#include <stddef.h>

#include "format.h"
#include "lib/print/fault.h"

/*
 * Adds a field for each of the names that is such an element; others do not matter here.  The fields are no part of "all
 * fields" (is_extra). *format is then another one, which has the old one's strings and is freed by format__free() with it.
 * 0; -EINVAL with one line in fault: the array has fewer elements, or no numbers; -ENOMEM.
 */
int elements__add(struct format **format, const char *const *names, size_t count, struct fault *fault);

#endif
