/* SPDX-License-Identifier: BSD-2-Clause */
/* Of a program on the entries of several functions (lib/probe/entries.h): which one it is at. */
#ifndef PROBELIGHT_ENTRIES_BPF_H
#define PROBELIGHT_ENTRIES_BPF_H

#include <bpf/bpf_helpers.h>

/*
 * Whether an address that bpf_get_func_ip() gave is the entry of the function with that address: there, or on arm64 some kernels say
 * where ftrace's hook is.  No function with a hook is shorter.
 */
static __always_inline bool is_entry_of(__u64 at, __u64 function)
{
	return at - function < 16;
}

#endif
