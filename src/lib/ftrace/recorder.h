/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events that an instance of tracefs records, with the task that each is of: no program, the kernel itself writes the records into ring
 * buffers of ours, and drops those that an event's filter does not let pass.
 */
#ifndef PROBELIGHT_RECORDER_H
#define PROBELIGHT_RECORDER_H

#include "intact.h"
#include "lib/format/format.h"
#include "lib/format/raw_record.h"
#include "lib/print/fault.h"
#include "task_events.h"

struct recorder {
	struct instance instance;
	struct stream stream;
	struct intact intact;
	struct task_events tasks;
	int switch_fd;			/* of recorder__prepare_cut(); 0: none */
};

/*
 * Makes the instance, with buffers of buffer_kb for each CPU (0: the kernel's choice, 1.4 MB). 0 or -errno with one line in fault.
 * recorder__close() takes one that failed, too.
 */
int recorder__open(struct recorder *recorder, unsigned int buffer_kb, struct fault *fault);

/*
 * From now on it records the event; filter: in the kernel's language (lib/gen/predicate.h), or NULL; hooks: it is a probe's, which hooks a
 * function.  0 or -errno with one line in fault.
 */
int recorder__add(struct recorder *recorder, const struct format *format, const char *filter, bool hooks,
		  struct fault *fault);

/* All events are added: from now on intact tells whether somebody else changes them.  0 or -errno. */
int recorder__start(struct recorder *recorder);

/*
 * Prepares recorder__cut() for the events of a system, once they are added: that detaches them at once, in a signal's handler, too.  0 or
 * -errno.
 */
int recorder__prepare_cut(struct recorder *recorder, const char *system);
void recorder__cut(const struct recorder *recorder);

/* The next record in the order of time: 1, 0 where there is none for now, or -errno of read(2). */
int recorder__next(struct recorder *recorder, struct raw_record *record);

/* Ends the recording. What was recorded is still to be read. */
void recorder__end(struct recorder *recorder);

/* Records that were overwritten before they were read, or found no room. 0 or -errno: it is not known. */
int recorder__lost(const struct recorder *recorder, uint64_t *lost);

/* 0 or -errno of removing the instances; the next start removes what is left. */
int recorder__close(struct recorder *recorder);

#endif
