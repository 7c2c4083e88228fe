/* SPDX-License-Identifier: BSD-2-Clause */
/* A record of an event as the kernel wrote it into a buffer of ftrace or of perf, and the task that it is of. */
#ifndef PROBELIGHT_RAW_RECORD_H
#define PROBELIGHT_RAW_RECORD_H

#include <stddef.h>
#include <stdint.h>

struct raw_record {
	uint64_t time_ns;		/* CLOCK_MONOTONIC */
	uint32_t cpu;
	uint32_t tid, pid;		/* of the task that was running; pid as tid where nobody knows the process */
	const char *comm;		/* its name, TASK_COMM_LEN bytes at most; NULL: nobody knows */
	uint16_t type;			/* the event's id */
	const void *data;		/* as its format file describes it, size bytes; valid until the next one is asked for */
	size_t size;
};

/* common_type and common_pid: at the same place in all records of all kernels (struct trace_entry, include/linux/trace_events.h). */
#define RAW_RECORD_TYPE 0
#define RAW_RECORD_TID 4
#define RAW_RECORD_MIN 8

#endif
