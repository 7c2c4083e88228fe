/* SPDX-License-Identifier: BSD-2-Clause */
/* Hooks of the kernel's security modules that BPF programs can be on: their arguments, out of the kernel's BTF. */
#ifndef PROBELIGHT_LSMS_H
#define PROBELIGHT_LSMS_H

#include <stdbool.h>
#include <stddef.h>

#include "format.h"
#include "lib/btf/rawbtf.h"
#include "lib/print/fault.h"

#define LSMS_SYSTEM "lsm"
#define LSMS_BTF "/sys/kernel/btf/vmlinux"
#define LSMS_PREFIX "bpf_lsm_"		/* of the function that a program is attached to */
#define LSMS_ARGUMENTS 12		/* MAX_BPF_FUNC_ARGS, include/linux/bpf.h */
#define LSMS_ACTIVE_MAX 256

/*
 * Whether the running kernel calls no programs on its hooks; then active has the modules that it calls.  Where that file is not there
 * (securityfs is not mounted), nobody knows: false.
 */
bool lsms__are_off(char active[LSMS_ACTIVE_MAX]);

/* Sets the fault, and returns -ENOENT: there is no such hook, and the nearest names. raw: the kernel's BTF, or NULL. */
int lsms__explain_missing(struct rawbtf *raw, const char *hook, const char *label, struct fault *fault);

/*
 * Calls found() for each hook whose name matches a shell pattern, until it returns something else than 0, which is returned.  -errno with
 * one line in fault: BTF cannot be read.
 */
int lsms__match(const char *pattern, int (*found)(void *context, const char *hook), void *context, struct fault *fault);

/*
 * A hook's arguments as a format, with the members among the names; its id is that of the function in the kernel's BTF.  Where programs
 * are not called it is refused.  0 and *format, freed by format__free(); -errno with one line in fault.
 */
int lsms__format(const char *hook, const char *const *names, size_t count, struct format **format, struct fault *fault);

#endif
