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

void leftovers__sweep(void)
{
	char options[64];

	instance__sweep();
	for (size_t i = 0; run_folder__at(i); i++) {
		snprintf(options, sizeof(options), "%s/" FUNCTION_OPTIONS_FOLDER, run_folder__at(i));
		lease__sweep(run_folder__at(i));
		lease__sweep(options);
	}
	kprobe_events__sweep();
	uprobe_events__sweep();
	cache__sweep(CACHE_FOLDER);
}
