/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine's CPUs. */
#ifndef PROBELIGHT_CPUS_H
#define PROBELIGHT_CPUS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The number of the first CPU that is online, from /sys/devices/system/cpu/online; 0 where that cannot be read.  A perf event
 * must be opened on a CPU that is; programs on it run on every CPU.
 */
int cpus__first_online(void);

#define CPUS_MAX 8192		/* CONFIG_NR_CPUS of x86-64 with MAXSMP */

struct cpu_set {
	uint64_t words[CPUS_MAX / 64];
};

static inline bool cpu_set__has(const struct cpu_set *set, int cpu)
{
	return set->words[cpu / 64] >> cpu % 64 & 1;
}

/* Reads "0-3,5" up to a newline or the end; "" is no CPU.  0, or -EINVAL where it is no list of numbers below CPUS_MAX. */
int cpu_set__parse(struct cpu_set *set, const char *text);

/* The files with such lists.  CPUs that are isolated have no load balancing (isolcpus=, cpuset.cpus.partition). */
#define CPUS_ONLINE "/sys/devices/system/cpu/online"
#define CPUS_POSSIBLE "/sys/devices/system/cpu/possible"
#define CPUS_ISOLATED "/sys/devices/system/cpu/isolated"

/* Reads one of them.  0 or -errno. */
int cpus__read(const char *path, struct cpu_set *set);

/* Whether a CPU may come online or go offline: the machine has more than one, or room for more. */
bool cpus__can_come(void);

/* The time that a hypervisor ran others while this machine's CPUs had something to run, since boot: of /proc/stat; 0 if it is not there. */
uint64_t cpus__steal_ms(void);

#endif
