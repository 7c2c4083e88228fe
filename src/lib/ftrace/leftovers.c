/* SPDX-License-Identifier: BSD-2-Clause */
#include "leftovers.h"

#include <stdio.h>

#include "function_options.h"
#include "instance.h"
#include "lease.h"
#include "lib/kernel/cache.h"
#include "lib/kernel/run_folder.h"
#include "lib/probe/kprobe_events.h"
#include "lib/probe/uprobe_events.h"
#include "stack_tracer.h"

void leftovers__sweep(void)
{
	static const char *const others[] = { FUNCTION_OPTIONS_FOLDER, STACK_TRACER_FOLDER };
	char folder[64];

	instance__sweep();
	for (size_t i = 0; run_folder__at(i); i++) {
		lease__sweep(run_folder__at(i));
		for (size_t j = 0; j < sizeof(others) / sizeof(*others); j++) {
			snprintf(folder, sizeof(folder), "%s/%s", run_folder__at(i), others[j]);
			lease__sweep(folder);
		}
	}
	kprobe_events__sweep();
	uprobe_events__sweep();
	cache__sweep(CACHE_FOLDER);
}
