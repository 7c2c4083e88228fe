/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events that perf records, with the task that each is of: perf_event_open(2) for each event on each CPU that is online, a ring buffer for
 * each CPU, and beside it one for the tasks that are made and renamed, which a flood of events does not fill. A CPU that comes online
 * later has no event, also one that was online before: the kernel takes the events off a CPU that goes offline, and does not put them back.
 *
 * The kernel counts what it recorded or had no room for, event by event, so that what was lost is known exactly.
 */
#ifndef PROBELIGHT_SAMPLER_H
#define PROBELIGHT_SAMPLER_H

#include <stdbool.h>

#include "lib/format/format.h"
#include "lib/format/raw_record.h"
#include "lib/kernel/cpu_changes.h"
#include "lib/kernel/tasks.h"
#include "lib/print/fault.h"
#include "ring.h"

struct sampler_buffer {
	int fd;				/* of the event whose buffer it is */
	int cpu;
	bool is_samples;		/* else of tasks */
	struct perf_event_mmap_page *page;
	size_t mapped;			/* bytes */
	struct perf_ring ring;
	bool has_next;
	struct perf_ring_record next;
};

struct sampler_event {
	uint64_t id;			/* of its format */
	char *filter;			/* or NULL */
};

struct sampler {
	struct sampler_buffer *buffers;	/* two for each CPU that was online */
	size_t buffers_count;
	struct sampler_event *kinds;	/* the events */
	size_t kinds_count;
	int *events;			/* descriptors: an event on a CPU each */
	size_t events_count;
	size_t buffers_room;
	bool has_hooks;
	struct tasks tasks;
	unsigned int buffer_kb;
	uint64_t horizon_ns;		/* all records that are older are in the buffers */
	uint64_t samples;		/* that were read */
	uint64_t lost;			/* that records of the kernel tell of, while it runs */
	uint64_t broken;		/* records that were not understood */
	bool ended;
	int job;			/* the cleaner's; 0: none */
	struct cpu_changes changes;
	int new_cpu;			/* for sampler__new_cpu(); -1: none */
	int new_err;
};

/* From now on it knows the tasks. Buffers have buffer_kb for each CPU (0: 512), a power of two. 0 or -errno with one line in fault. */
int sampler__open(struct sampler *sampler, unsigned int buffer_kb, struct fault *fault);

/*
 * Opens the event on each CPU; filter: in the kernel's language (lib/gen/predicate.h), or NULL; hooks: it is a probe's,
 * which hooks a function from now on.  0 or -errno with one line in fault.
 */
int sampler__add(struct sampler *sampler, const struct format *format, const char *filter, bool hooks, struct fault *fault);

/* From now on the events are recorded, also on CPUs that come online.  Before privileges are dropped.  0 or -errno. */
int sampler__start(struct sampler *sampler);

/* The next record in the order of time: 1, or 0 where there is none for now. */
int sampler__next(struct sampler *sampler, struct raw_record *record);

/*
 * Once after sampler__next(): a CPU that has come online; *err 0: its events are recorded from now on, or -errno why they
 * are not.  -1: none has.
 */
int sampler__new_cpu(struct sampler *sampler, int *err);

/* Detaches all events at once, also in a signal's handler: their descriptors become those of an event that counts nothing. */
void sampler__cut(const struct sampler *sampler);

/* Ends the recording. What was recorded is still to be read. */
void sampler__end(struct sampler *sampler);

/*
 * Records that found no room: while it runs as the kernel's own records tell it, which come when there is room again; once it has ended and
 * all is read exactly, as the kernel's counts do. 0 or -errno of read(2): it is not known.
 */
int sampler__lost(const struct sampler *sampler, uint64_t *lost);

/*
 * sampler__open() may have failed, or not been called on a zeroed one.  With hooks it waits until kernel.ftrace_enabled can be set
 * (disarming__await()).
 */
void sampler__close(struct sampler *sampler);

#endif
