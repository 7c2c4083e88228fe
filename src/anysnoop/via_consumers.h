/* SPDX-License-Identifier: BSD-2-Clause */
/* The consumers that record events without programs, ftrace and perf, in one form. */
#ifndef PROBELIGHT_ANYSNOOP_VIA_CONSUMERS_H
#define PROBELIGHT_ANYSNOOP_VIA_CONSUMERS_H

#include "lib/ftrace/recorder.h"
#include "lib/perf/sampler.h"

union consumer {
	struct recorder recorder;
	struct sampler sampler;
};

/* What a consumer does; as of recorder.h and sampler.h. */
struct consumer_ops {
	const char *name;
	const char *missed_why;
	int (*open)(union consumer *consumer, unsigned int buffer_kb, struct fault *fault);
	int (*add)(union consumer *consumer, const struct format *format, const char *filter, bool hooks, struct fault *fault);
	int (*start)(union consumer *consumer);		/* or NULL: they are recorded once they are added */
	int (*next)(union consumer *consumer, struct raw_record *record);
	void (*end)(union consumer *consumer);
	int (*lost)(const union consumer *consumer, uint64_t *lost);
	int (*is_intact)(union consumer *consumer, struct fault *fault);	/* or NULL: nobody else can change it */
	int (*prepare_cut)(union consumer *consumer, const char *system);	/* or NULL: cut needs nothing */
	void (*cut)(const union consumer *consumer);	/* detaches all events at once, in a signal's handler */
	int (*close)(union consumer *consumer);
};

#define VIA_CONSUMERS 3

/* By enum via_consumer (via.h); of VIA_BPF there is the name alone. */
extern const struct consumer_ops consumer_ops[VIA_CONSUMERS];

#endif
