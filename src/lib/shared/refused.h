/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's function that refuses system calls (lib/bpf/refused.bpf.h), as the user side finds it. */
#ifndef PROBELIGHT_SHARED_REFUSED_H
#define PROBELIGHT_SHARED_REFUSED_H

struct refused_by {
	__u64 address;		/* where a program on the functions of calls is on that one, too; else 0 */
	__u32 is_false;		/* it returns false where it refuses, and true where not; else -1, and 0 */
	__u32 reserved;
};

#endif
