/* SPDX-License-Identifier: BSD-2-Clause */
#include "leftovers.h"

#include "function_options.h"
#include "instance.h"
#include "lease.h"
#include "lib/kernel/cache.h"
#include "lib/probe/kprobe_events.h"

void leftovers__sweep(void)
{
	instance__sweep();
	lease__sweep(LEASE_FOLDER);
	lease__sweep(FUNCTION_OPTIONS_FOLDER);
	kprobe_events__sweep();
	cache__sweep(CACHE_FOLDER);
}
