/* SPDX-License-Identifier: BSD-2-Clause */
#include "until.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

/* Of each CPU's buffer, which keeps the first events instead of the last ones. */
#define BUFFER_KB 64

/* The two copies of an event are written one after the other; an interrupt, or another task where the kernel lets it, comes in between. */
#define APART_NS 100000000

int until__open(struct until *until, const struct format *format, const char *filter, bool hooks, struct fault *fault)
{
	struct recorder *recorder = &until->recorder;
	int err;

	*until = (struct until){ .has_come = false };
	err = instance__make(&recorder->instance, BUFFER_KB);
	if (!err)
		err = instance__set_clock(&recorder->instance);
	if (!err)
		err = stream__open(&recorder->stream, recorder->instance.path);
	intact__begin(&recorder->intact, &recorder->instance, &recorder->stream);
	if (!err)
		err = instance__write(&recorder->instance, "options/overwrite", "0\n");
	/* a reader is woken by the first record, and not only when a buffer is half full */
	if (!err)
		err = instance__write(&recorder->instance, "buffer_percent", "0\n");
	if (err)
		return fault__set(fault, err, "an instance in tracefs cannot be made: %s", strerror(-err));
	err = recorder__add(recorder, format, filter, hooks, fault);
	if (err)
		return err;
	err = recorder__start(recorder);
	return err ? fault__set(fault, err, "the instance in tracefs cannot be read: %s", strerror(-err)) : 0;
}

int until__wake(const struct until *until, int epoll_fd)
{
	const struct stream *stream = &until->recorder.stream;

	for (size_t i = 0; i < stream->cpus_count; i++) {
		struct epoll_event event = { .events = EPOLLIN };

		if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, stream->cpus[i].fd, &event))
			return -errno;
	}
	return 0;
}

static int keep(struct until *until, const struct stream_record *record)
{
	void *data = malloc(record->record.size);

	if (!data)
		return -ENOMEM;
	memcpy(data, record->record.data, record->record.size);
	free(until->data);
	until->data = data;
	until->size = record->record.size;
	until->time_ns = record->record.time;
	until->cpu = (uint32_t)record->cpu;
	until->has_come = true;
	return 0;
}

bool until__look(struct until *until, int *err)
{
	struct stream_record record;
	int more;

	while ((more = stream__next_of_any(&until->recorder.stream, UINT64_MAX, &record)) > 0) {
		if (record.record.time < until->since_ns || (until->has_come && record.record.time >= until->time_ns))
			continue;
		more = keep(until, &record);
		if (more)
			break;
	}
	*err = more;
	return until->has_come;
}

void until__end(struct until *until)
{
	int err;

	if (!*until->recorder.instance.path)
		return;
	intact__finish(&until->recorder.intact);
	instance__write(&until->recorder.instance, "tracing_on", "0\n");
	stream__end(&until->recorder.stream);
	until__look(until, &err);
}

bool until__is(const struct until *until, const struct raw_record *record)
{
	return until->has_come && record->cpu == until->cpu && record->size == until->size && record->time_ns >= until->since_ns &&
	       record->time_ns <= until->time_ns && until->time_ns - record->time_ns <= APART_NS &&
	       !memcmp(record->data, until->data, until->size);
}

int until__close(struct until *until)
{
	free(until->data);
	until->data = NULL;
	return recorder__close(&until->recorder);
}
