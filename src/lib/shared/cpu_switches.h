/* SPDX-License-Identifier: BSD-2-Clause */
/* What a CPU did: a timeline finds by it which switches came one right after the other.  A BPF program includes vmlinux.h before. */
#ifndef PROBELIGHT_CPU_SWITCHES_H
#define PROBELIGHT_CPU_SWITCHES_H

struct cpu_switches {
	__u64 number;		/* of switches from one task to another, all of them */
	__u64 lost;		/* of those that should have had a record */
};

/* A cache line for each CPU in the map of the programs. */
#define CPU_SWITCHES_SIZE 64

#endif
