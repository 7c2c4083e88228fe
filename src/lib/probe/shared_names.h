/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of the kernel itself that share a name: 5.10 has 276 such names, 7.2 has 1,160.  A program on a trampoline
 * (fentry, fexit) goes to the first of them, and so did a kprobe before b022f0c7e404 (6.7, 6.1.60).  Nobody is told that the
 * others are not traced.
 */
#ifndef PROBELIGHT_SHARED_NAMES_H
#define PROBELIGHT_SHARED_NAMES_H

#include <stdbool.h>

/*
 * Whether more than one function of the kernel has the name: 1 or 0; or -errno where neither the kernel nor /proc/kallsyms tells.  A kernel
 * with that commit is asked, which takes 40,000 to 130,000 instructions.  The names of an older one are read once a boot (190 M) and kept.
 */
int shared_names__has(const char *name);

/* Whether the kernel refuses a kprobe on such a name itself (-EADDRNOTAVAIL).  Asked once. */
bool shared_names__are_refused(void);

/* Where the kernel tells what it is made of, and what is kept; for tests. */
struct shared_names_places {
	const char *probes;	/* the kprobe PMU in /sys/bus/event_source/devices */
	const char *notes;	/* /sys/kernel/notes */
	const char *cache;	/* CACHE_FOLDER */
};
extern struct shared_names_places shared_names__places;

#endif
