/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes of our own in tracefs' kprobe_events, for attach mode legacy.  Unlike those of the kprobe PMU they are no part
 * of the process: the kernel keeps the definition when the process is gone.  So each carries our name and its owner
 * (probelight/p1234nf0000004s5a3c_0_do_unlinkat, see owner.h), and there are three nets: kprobe_events__end() at the end, a
 * cleaner process that removes them if this one dies without it, SIGKILL included, and the sweep of the next start for what is
 * left if both were killed.
 *
 * libbpf's own legacy mode is not used: its names (kprobes/libbpf_1234_…) are those of every program that uses libbpf,
 * so what they left behind is not ours to remove; and it leaves them after a SIGKILL.
 *
 * kprobe_events is only ever appended to: opening it with O_TRUNC removes everybody's probes.
 */
#ifndef PROBELIGHT_KPROBE_EVENTS_H
#define PROBELIGHT_KPROBE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/format/events.h"

#define KPROBE_EVENTS_GROUP EVENTS_OWN_SYSTEM
#define KPROBE_EVENTS_NAME_MAX 64	/* MAX_EVENT_NAME_LEN, kernel/trace/trace_probe.h, with the 0 byte */

/* For how many calls at the same time a return probe that is defined from now on waits; at first KPROBE_EVENTS_SLOTS. */
#define KPROBE_EVENTS_SLOTS 256
void kprobe_events__set_slots(unsigned int count);

/*
 * Defines a probe on "[MODULE:]FUNC[+OFFSET]", at its address where that is not 0 (then the kernel does not look the name up), and writes
 * its event's name, within the group, to name.  Starts the cleaner before the first one.  0 or -errno: of tracefs, of the kernel's check
 * of the line (-ENOENT or, since 6.7, -EINVAL: no such function), of fork.  A module that is not loaded is not an error to the kernel.
 */
int kprobe_events__add(const char *function, uint64_t address, bool is_return, char name[KPROBE_EVENTS_NAME_MAX]);

/* The same by name, of an event whose records have values: fetch is " NAME=$arg1:u64 …" (Documentation/trace/kprobetrace.rst). */
int kprobe_events__add_with(const char *function, bool is_return, const char *fetch, char name[KPROBE_EVENTS_NAME_MAX]);

/*
 * Adds a function to an event that kprobe_events__add() has made, of the same kind: one event then fires for all of them (since
 * 5.4).  The event is removed as a whole.  0 or -errno.
 */
int kprobe_events__join(const char *name, const char *function, bool is_return);

/* The id of an event as perf_event_open(2) takes it, or -errno. */
int kprobe_events__id(const char *name);

/* Removes one probe of this process: 0 or -errno, -EBUSY while it is in use. */
int kprobe_events__remove(const char *name);

/* Removes what is left of this process, once everything that uses it is closed, and ends the cleaner.  0 or -errno. */
int kprobe_events__end(void);

/*
 * Removes what dead processes have left: probes of our group whose owner is dead.  One that is in use stays (the kernel says EBUSY).
 * For lib/ftrace/leftovers.h, which every start calls.  Returns the number removed, or -errno.
 */
int kprobe_events__sweep(void);

/* The sums of what kprobe_profile counts as missed by the probes of this process, at entries and at returns: 0 or -errno. */
int kprobe_events__missed(uint64_t *entries, uint64_t *returns);

#endif
