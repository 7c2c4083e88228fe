/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compilers of the BPF side find this in place of the C library's headers, which it cannot have: some declare what vmlinux.h declares
 * otherwise, others include files that are not there for its target.
 */
#error "A BPF program cannot include this header. TOOL.h is for both sides: include lib/shared there, everything else in TOOL.c"
