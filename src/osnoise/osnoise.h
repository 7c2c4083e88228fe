/* SPDX-License-Identifier: BSD-2-Clause */
/* The three tracers of the kernel's that osnoise shows: how each is started, what its records say, and their rows. */
#ifndef PROBELIGHT_OSNOISE_H
#define PROBELIGHT_OSNOISE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/ftrace/timerlat.h"
#include "lib/print/out.h"

/* A tracer that runs, and the record that was read last. */
struct noise {
	struct timerlat timerlat;	/* of the others its records alone */
	struct timerlat_sample sample;
	uint64_t values[9];		/* of the others: in the order of their fields in tracers.c */
	uint32_t offsets[9];
	uint64_t ns;			/* what --slower is compared with */
	uint32_t tid;			/* that ran; 0: the idle task, or nobody knows */
};

struct noise_tracer {
	const char *name;
	const char *does;		/* for the first line */
	const char *instead;		/* where the kernel does not have it */
	const char *settings[4];	/* files of tracefs, to NULL */
	bool longest_only;		/* there are too many: without --slower those that are longer than all before on their CPU */
	const struct out_column *columns;
	int (*open)(struct noise *noise, struct fault *fault);	/* as timerlat__open() */
	void (*read)(struct noise *noise, const struct stream_record *record);
	void (*print)(const struct noise *noise, struct out *out, unsigned int cpu);	/* all columns but the first, which is the CPU */
};

extern const struct noise_tracer noise_osnoise, noise_hwlat, noise_timerlat;
extern const struct out_column noise_osnoise_columns[];

#endif
