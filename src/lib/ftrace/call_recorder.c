/* SPDX-License-Identifier: BSD-2-Clause */
#include "call_recorder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int call_recorder__open(struct call_recorder *recorder, const struct instance *instance, unsigned int buffer_kb, const uint32_t *tids,
			size_t count, char *why, size_t size)
{
	char number[16];
	int err;

	*recorder = (struct call_recorder){ .stopped = false };
	snprintf(number, sizeof(number), "%u\n", buffer_kb);
	err = instance__write(instance, "buffer_size_kb", number);
	if (err) {
		snprintf(why, size, "ring buffers of %u KB for each CPU cannot be made: %s", buffer_kb, strerror(-err));
		return err;
	}
	err = instance__only_tids(instance, tids, count);
	if (err) {
		snprintf(why, size, "set_ftrace_pid in tracefs cannot be written: %s", strerror(-err));
		return err;
	}
	err = task_events__open(&recorder->tasks, why, size);
	if (!err)
		err = function_tracer__open(&recorder->tracer, instance, false, why, size);
	if (!err) {
		err = function_tracer__start(&recorder->tracer);
		if (err)
			snprintf(why, size, "recording cannot be switched on: %s", strerror(-err));
	}
	return err;
}

int call_recorder__next(struct call_recorder *recorder, struct recorded_call *recorded)
{
	struct stream_record record;
	const struct task *task;
	bool lost_some = false;
	uint64_t lost = 0;
	int more;

	while ((more = stream__next(&recorder->tracer.stream, &record)) > 0) {
		lost_some |= record.lost_some;
		lost += record.lost;
		if (function_tracer__call(&recorder->tracer, &record.record, &recorded->call))
			break;
	}
	if (more <= 0)
		return more;
	task = task_events__at(&recorder->tasks, recorded->call.tid, recorded->call.time_ns);
	recorded->cpu = (uint32_t)record.cpu;
	recorded->pid = task ? task->pid : recorded->call.tid;
	recorded->comm = task ? task->comm : NULL;
	recorded->lost_some = lost_some;
	recorded->lost = lost;
	return 1;
}

void call_recorder__end(struct call_recorder *recorder)
{
	if (!recorder->stopped)
		function_tracer__stop(&recorder->tracer);
	recorder->stopped = true;
	stream__end(&recorder->tracer.stream);
	task_events__end(&recorder->tasks);
}

int call_recorder__lost(const struct call_recorder *recorder, uint64_t *lost)
{
	const struct stream *stream = &recorder->tracer.stream;
	struct stream_stats stats;
	int err = stream__stats(stream, &stats);

	/* pages that were not understood had records, nobody knows how many */
	if (!err)
		*lost = stats.overrun + stats.refused + stream->broken;
	return err;
}

int call_recorder__close(struct call_recorder *recorder)
{
	function_tracer__close(&recorder->tracer);
	return task_events__close(&recorder->tasks);
}
