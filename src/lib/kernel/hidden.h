/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The addresses of the kernel's code where /proc/kallsyms shows none: to nobody with the sysctl kernel.kptr_restrict=2, to users without
 * CAP_SYSLOG with 1 (kallsyms_show_value()).  The kernel names an address that a program asks for ("%pS" of bpf_snprintf()) whatever the sysctl
 * says, and how long the symbol is, so one leads to the next.  80,000 questions, 400 M instructions.  x86-64, and kernels that
 * take such programs (5.14).
 */
#ifndef PROBELIGHT_HIDDEN_H
#define PROBELIGHT_HIDDEN_H

#include <stddef.h>
#include <stdint.h>

#include "ksyms.h"

/*
 * Finds the addresses of the first *count symbols that read() calls each for: the kernel's own, in its order, as far as its code
 * goes.  Those before the code have 0.  Returns 0, and the caller frees *addresses; or -errno: -EOPNOTSUPP where this kernel cannot be
 * asked, or may not be after capabilities were dropped; what read() returned.
 */
int hidden__find(int (*read)(int (*each)(void *context, const struct ksym *sym), void *context), uint64_t **addresses, size_t *count);

#endif
