/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the events of kprobe_events are, from the kernel's own list of dynamic events in its memory.  The file does not say it: of an
 * event that was made by an address it shows a hash, and of one that was made by a symbol that symbol, which others may have, too.
 */
#ifndef PROBELIGHT_EVENT_ADDRESSES_H
#define PROBELIGHT_EVENT_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/print/fault.h"

struct event_address {
	char *event;		/* "GROUP/NAME" */
	uint64_t address;	/* of the probe; 0: none yet, its module is not loaded */
	bool is_after_endbr;	/* it is behind an instruction that the kernel skips at a function's entry (ktext__is_skipped()) */
};

struct event_addresses {
	struct event_address *all;	/* in the order of the lines of kprobe_events */
	size_t count, next;
};

/*
 * Reads the list (zeroed).  0 or -errno with one line in fault: /proc/kcore, BTF or the kernel's symbols are not there.
 * event_addresses__free() takes one that failed, and a zeroed one.
 */
int event_addresses__read(struct event_addresses *list, struct fault *fault);
void event_addresses__free(struct event_addresses *list);

/* The next event of that name: one event may have several probes.  NULL: not known; valid until event_addresses__free(). */
const struct event_address *event_addresses__take(struct event_addresses *list, const char *event);

#endif
