/* SPDX-License-Identifier: BSD-2-Clause */
#include "timerlat.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/kernel/tracefs.h"
#include "record_fields.h"
#include "tracer.h"

#define BUFFER_KB 256
#define CONTEXT_THREAD 1	/* THREAD_CONTEXT in kernel/trace/trace_osnoise.c */

/* The two share their threads: one of them at a time, in any number of instances. */
static const char *const users[] = { "osnoise", NULL };

static int find_fields(struct timerlat *timerlat)
{
	const struct record_field fields[] = {
		{ "common_pid", sizeof(int32_t), &timerlat->pid },
		{ "context", sizeof(int32_t), &timerlat->context },
		{ "timer_latency", sizeof(uint64_t), &timerlat->latency },
		{ NULL, 0, NULL },
	};

	return record_fields__find("timerlat", fields, &timerlat->type, &timerlat->size_min);
}

static int read_period(struct timerlat *timerlat)
{
	char *text;
	size_t size;
	int err = tracefs__read("osnoise/timerlat_period_us", 64, &text, &size);

	if (err)
		return err;
	timerlat->period_us = strtoull(text, NULL, 10);
	free(text);
	return 0;
}

int timerlat__open(struct timerlat *timerlat, struct fault *fault)
{
	int err;

	*timerlat = (struct timerlat){ .period_us = 0 };
	err = instance__make(&timerlat->instance, BUFFER_KB);
	if (!err)
		err = instance__set_clock(&timerlat->instance);
	if (err)
		return fault__set(fault, err, "an instance in tracefs cannot be made: %s", strerror(-err));
	if (!tracer__exists(&timerlat->instance, "timerlat"))
		return fault__set(fault, -ENOENT, "this kernel does not have the tracer timerlat %s",
				  tracer__exists(NULL, "timerlat") ? "in instances (since Linux 5.17)" :
				  "(it was built without CONFIG_TIMERLAT_TRACER)");
	err = find_fields(timerlat);
	if (!err)
		err = read_period(timerlat);
	if (err)
		return fault__set(fault, err, "the settings of timerlat in tracefs cannot be read: %s", strerror(-err));
	err = tracer__start(&timerlat->instance, "timerlat", false, users, fault);
	if (err)
		return err;
	/* not before: while they are open the kernel lets nobody change the tracer (EBUSY) */
	err = stream__open(&timerlat->stream, timerlat->instance.path);
	intact__begin(&timerlat->intact, &timerlat->instance, &timerlat->stream);
	if (!err)
		err = intact__add(&timerlat->intact, "current_tracer") ?: intact__add_text(&timerlat->intact, "tracing_on", "1\n");
	return err ? fault__set(fault, err, "the ring buffers in tracefs cannot be opened: %s", strerror(-err)) : 0;
}

int timerlat__next(struct timerlat *timerlat, uint64_t until_ns, struct timerlat_sample *sample)
{
	struct stream_record record;
	int32_t context, pid;
	int more;

	while ((more = stream__next_of_any(&timerlat->stream, until_ns, &record)) > 0) {
		if (record.record.type != timerlat->type || record.record.size < timerlat->size_min)
			continue;
		memcpy(&pid, record.record.data + timerlat->pid, sizeof(pid));
		memcpy(&context, record.record.data + timerlat->context, sizeof(context));
		memcpy(&sample->late_ns, record.record.data + timerlat->latency, sizeof(sample->late_ns));
		sample->time_ns = record.record.time;
		sample->cpu = record.cpu;
		sample->tid = (uint32_t)pid;
		sample->is_thread = context == CONTEXT_THREAD;
		return 1;
	}
	return more;
}

int timerlat__end(struct timerlat *timerlat)
{
	int err;

	intact__finish(&timerlat->intact);
	err = instance__write(&timerlat->instance, "tracing_on", "0\n");

	/* a record that another CPU was writing is finished after this (synchronize_rcu(); not on kernels booted with nohz_full) */
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	return err;
}

int timerlat__lost(const struct timerlat *timerlat, uint64_t *lost)
{
	struct stream_stats stats;
	int err = stream__stats(&timerlat->stream, &stats);

	if (!err)
		*lost = stats.overrun + stats.refused;
	return err;
}

int timerlat__close(struct timerlat *timerlat)
{
	stream__close(&timerlat->stream);
	intact__end(&timerlat->intact);
	return instance__remove(&timerlat->instance);
}
