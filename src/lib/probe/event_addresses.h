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

#define ENDBR_SIZE 4

struct event_address {
	char *event;		/* "GROUP/NAME" */
	uint64_t address;	/* of the probe; 0: none yet, its module is not loaded */
	bool is_after_endbr;	/* x86: at a function's entry the kernel moves a probe behind endbr64, ftrace's hook follows that */
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
