/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPUs that go offline and come online.  The kernel takes a perf event off a CPU that goes, and does not put it back: whoever has events on
 * each CPU opens a new one when a CPU comes.
 */
#ifndef PROBELIGHT_CPU_CHANGES_H
#define PROBELIGHT_CPU_CHANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "cpus.h"

struct cpu_changes {
	int fd;				/* readable when there may be a change; -1: the kernel's messages are not to be had */
	struct cpu_set online;		/* by all changes that were reported */
	bool is_behind;			/* that may not be what is */
	bool has_lost;			/* messages were lost: each CPU may have gone and come */
	uint64_t looked_ns;
};

/* From now on changes are reported.  0, or -errno where it cannot be read which CPUs are online; cpu_changes__close() takes that, too. */
int cpu_changes__open(struct cpu_changes *changes);
void cpu_changes__close(struct cpu_changes *changes);

/*
 * The next change, soon after it: *cpu has come, or has gone.  One that has gone and come is reported as both.  Without the
 * kernel's messages (in a network namespace of a container) it is looked at once a second.  False: there is none now.
 */
bool cpu_changes__next(struct cpu_changes *changes, int *cpu, bool *has_come);

#endif
