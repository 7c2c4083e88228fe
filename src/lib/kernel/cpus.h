/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine's CPUs. */
#ifndef PROBELIGHT_CPUS_H
#define PROBELIGHT_CPUS_H

/*
 * The number of the first CPU that is online, from /sys/devices/system/cpu/online; 0 where that cannot be read.  A perf event
 * must be opened on a CPU that is; programs on it run on every CPU.
 */
int cpus__first_online(void);

#endif
