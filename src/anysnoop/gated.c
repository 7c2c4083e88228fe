/* SPDX-License-Identifier: BSD-2-Clause */
#include "gated.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "lib/kernel/file.h"
#include "lib/print/say.h"

/* An event's switch: a file that begins with `off` where the kernel does not make it. */
static struct gate {
	const char *event;		/* a shell pattern of "SYSTEM:NAME" */
	const char *file, *off;
	const char *state, *way_out;	/* as the line has them */
	bool is_told;
} gates[] = {
	/* __update_stats_*() in kernel/sched/stats.c, behind schedstat_enabled() */
	{ "sched:sched_stat_[wsib]*", "/proc/sys/kernel/sched_schedstats", "0", "kernel.sched_schedstats is 0",
	  "sysctl kernel.sched_schedstats=1" },
	{ "sched:sched_*_numa", "/proc/sys/kernel/numa_balancing", "0", "kernel.numa_balancing is 0", "sysctl kernel.numa_balancing=1" },
	{ "sched:sched_process_hang", "/proc/sys/kernel/hung_task_timeout_secs", "0", "kernel.hung_task_timeout_secs is 0",
	  "sysctl kernel.hung_task_timeout_secs=120" },
	{ "ksm:*", "/sys/kernel/mm/ksm/run", "0", "/sys/kernel/mm/ksm/run is 0", "echo 1 >/sys/kernel/mm/ksm/run" },
};

void gated__tell(const char *system, const char *name)
{
	char event[256], text[64];

	if (strlen(system) + 1 + strlen(name) >= sizeof(event))
		return;
	strcpy(event, system);
	strcat(strcat(event, ":"), name);
	for (size_t i = 0; i < sizeof(gates) / sizeof(*gates); i++) {
		struct gate *gate = &gates[i];

		if (gate->is_told || fnmatch(gate->event, event, 0) || file__read_small(gate->file, text, sizeof(text)) <= 0 ||
		    strncmp(text, gate->off, strlen(gate->off)))
			continue;
		say("%s: does not happen while %s (%s)", event, gate->state, gate->way_out);
		gate->is_told = true;
	}
}
