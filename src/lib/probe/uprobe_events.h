/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events of our own in tracefs' uprobe_events.  Lines of the same name are one event (since Linux 5.4): one program on thousands of
 * places of files, which comes and goes at once.  An event of the uprobe PMU has one place, and waits for an RCU grace period when it is
 * closed: 36 s for 1,000 of them on 6.1, 37 ms for this one.
 *
 * A line outlives the process, and keeps the file's file system from being unmounted; so there are the same nets as for kprobe_events.h.
 */
#ifndef PROBELIGHT_UPROBE_EVENTS_H
#define PROBELIGHT_UPROBE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UPROBE_EVENTS_NAME_MAX 64

struct uprobe_place {
	int fd;			/* of the file */
	uint64_t offset;	/* in it */
	uint64_t semaphore;	/* the offset of a counter of tracers, which the kernel keeps (USDT); 0: none */
};

/*
 * Defines an event of all these places, which must differ, and writes its name within the group.  is_return: return probes.  fetch: which
 * values its records have, " f0=%di:s32 ..." (Documentation/trace/uprobetracer.rst), or "".  Starts the cleaner before the first one.  0, or
 * -errno, and then nothing is left: of tracefs, of fork(2), of the kernel's check.
 */
int uprobe_events__add(const struct uprobe_place *places, size_t count, bool is_return, const char *fetch,
		       char name[UPROBE_EVENTS_NAME_MAX]);

/* Opens it as one that a program can be attached to: its file, or -errno.  pid: as tracepoint__open_for() has it. */
int uprobe_events__open(const char *name, uint32_t pid);

/*
 * How often the places of all events of this process were hit, before filters, as far as the kernel counts that.  From the first call on
 * the file is open, so that one comes before privileges are dropped.  0 where it cannot be read.
 */
uint64_t uprobe_events__hits(void);

/* Removes what is left of this process, once everything that uses it is closed, and ends the cleaner.  0 or -errno. */
int uprobe_events__end(void);

/* As kprobe_events__sweep(). */
int uprobe_events__sweep(void);

#endif
