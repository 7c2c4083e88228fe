/* SPDX-License-Identifier: BSD-2-Clause */
#include "timerlat.h"

#include <string.h>

#define CONTEXT_THREAD 1	/* THREAD_CONTEXT in kernel/trace/trace_osnoise.c */

/* The two share their threads: one of them at a time, in any number of instances. */
static const char *const users[] = { "osnoise", NULL };

int timerlat__open(struct timerlat *timerlat, struct fault *fault)
{
	const struct record_field fields[] = {
		{ "common_pid", sizeof(int32_t), &timerlat->pid },
		{ "context", sizeof(int32_t), &timerlat->context },
		{ "timer_latency", sizeof(uint64_t), &timerlat->latency },
		{ "seqnum", sizeof(uint32_t), &timerlat->number },
		{ NULL, 0, NULL },
	};
	int err = tracer_records__open(&timerlat->records, "timerlat", fields, users, fault);

	if (err)
		return err;
	err = tracer_records__setting("osnoise/timerlat_period_us", &timerlat->period_us);
	return err ? fault__set(fault, err, "the settings of timerlat in tracefs cannot be read: %s", strerror(-err)) : 0;
}

void timerlat__read(const struct timerlat *timerlat, const struct stream_record *record, struct timerlat_sample *sample)
{
	const uint8_t *data = record->record.data;
	int32_t context, pid;

	memcpy(&pid, data + timerlat->pid, sizeof(pid));
	memcpy(&context, data + timerlat->context, sizeof(context));
	memcpy(&sample->late_ns, data + timerlat->latency, sizeof(sample->late_ns));
	memcpy(&sample->number, data + timerlat->number, sizeof(sample->number));
	sample->time_ns = record->record.time;
	sample->cpu = record->cpu;
	sample->tid = (uint32_t)pid;
	sample->is_thread = context == CONTEXT_THREAD;
}

int timerlat__next(struct timerlat *timerlat, uint64_t until_ns, struct timerlat_sample *sample)
{
	struct stream_record record;
	int more = tracer_records__next_of_any(&timerlat->records, until_ns, &record);

	if (more > 0)
		timerlat__read(timerlat, &record, sample);
	return more;
}
