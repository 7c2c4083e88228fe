/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tracer of the kernel's that makes its own kind of records (hwlat, osnoise, timerlat), in an instance of ours, and these records.
 * What such a tracer can be set to, in files at the top of tracefs, is one for the whole system: it runs as it is set.
 */
#ifndef PROBELIGHT_FTRACE_TRACER_RECORDS_H
#define PROBELIGHT_FTRACE_TRACER_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "intact.h"
#include "lib/print/fault.h"
#include "record_fields.h"
#include "stream.h"

struct tracer_records {
	struct instance instance;
	struct stream stream;
	struct intact intact;
	uint16_t type;			/* of its records */
	uint32_t size_min;		/* bytes of one that has all fields */
};

/*
 * Starts it.  fields: of its records, whose offsets are set; users: the tracers that it excludes anywhere in the system (a list that NULL
 * ends).  0, or -errno with a line in fault: -EOPNOTSUPP where the kernel does not have it, -EBUSY with who has one of users.
 * tracer_records__close() takes one that failed.
 */
int tracer_records__open(struct tracer_records *records, const char *tracer, const struct record_field *fields,
			 const char *const users[], struct fault *fault);

/* The next record, in the order of time: 1, 0 where there is none for now, or -errno. */
int tracer_records__next(struct tracer_records *records, struct stream_record *record);

/* Instead of that: one that is not younger than until_ns, each CPU's in their order. */
int tracer_records__next_of_any(struct tracer_records *records, uint64_t until_ns, struct stream_record *record);

/* Nothing is recorded any more; what was is still to be read.  0 or -errno. */
int tracer_records__end(struct tracer_records *records);

/* Records that were overwritten before they were read, until now.  0, or -errno where the instance's statistics cannot be read. */
int tracer_records__lost(const struct tracer_records *records, uint64_t *lost);

/* Stops the tracer and removes the instance.  0 or -errno. */
int tracer_records__close(struct tracer_records *records);

/* The number in a file of tracefs, which the kernel ends with a newline.  0 or -errno. */
int tracer_records__setting(const char *file, uint64_t *number);

#endif
