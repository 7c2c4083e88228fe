/* SPDX-License-Identifier: BSD-2-Clause */
/* Names the kernel's addresses for tools that print rows with stacks.  Loaded only where a stack is asked for. */
#include "vmlinux.h"

#include "lib/bpf/stack_names.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";
