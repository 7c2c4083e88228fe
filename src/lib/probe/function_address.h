/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where functions are on which a probe was placed by name since the boot.  Before 6.2 (60443c88f3a8, which later releases of 6.1 have, too)
 * the kernel goes through the names to find one, 5 to 21 M instructions on 5.10, and does that two to five times for a probe: at its checks
 * of the place, and as it registers it.  A probe that is placed by address spares it all of them.
 */
#ifndef PROBELIGHT_FUNCTION_ADDRESS_H
#define PROBELIGHT_FUNCTION_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

/* The address of a function of the kernel itself, or 0: it is not known, or this kernel finds names fast. */
uint64_t function_address__known(const char *function);

/*
 * Takes the address for the next probe, of this process and of those that start later, from the kernel's list of probes (kprobes/list in
 * debugfs, since 2.6.21), once one is placed by name.  Nothing where that list cannot be read, hides addresses (kptr_restrict),
 * is very long, or has several functions of that name.
 */
void function_address__learn(const char *function);

/*
 * Whether the kernel and its modules, as they are now, have no function of that name: such a lookup goes through all names,
 * 43 M instructions on 5.10.  function_address__is_none() keeps it for the next start that tries the name before the one it has.
 */
bool function_address__is_known_missing(const char *function);
void function_address__is_none(const char *function);

/* The files that are read, and the cache directory; tests replace them.  is_slow: 1 or 0, or -1: by the kernel's release. */
struct function_address_places {
	const char *probes;		/* the list */
	const char *notes;		/* /sys/kernel/notes */
	const char *cache;		/* CACHE_FOLDER */
	int is_slow;
};
extern struct function_address_places function_address__places;

/* Forgets what this process has read (tests). */
void function_address__forget(void);

#endif
