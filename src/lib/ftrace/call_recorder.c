/* SPDX-License-Identifier: BSD-2-Clause */
#include "call_recorder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernel/clock.h"

/*
 * How long a call waits for its stack, where nothing else comes on its CPU.  It takes microseconds, but the host of a virtual machine may
 * stop that CPU meanwhile.  The calls of other CPUs wait too, because they are given in the order of time.
 */
#define STACK_LATE_NS 1000000000

int call_recorder__open(struct call_recorder *recorder, const struct instance *instance,
			const struct call_recorder_wants *wants, struct fault *fault)
{
	unsigned int how = (wants->stacks ? FUNCTION_TRACER_STACKS : 0) | (wants->args ? FUNCTION_TRACER_ARGS : 0);
	struct function_tracer *tracer = &recorder->tracer;
	char number[16];
	int err;

	*recorder = (struct call_recorder){ .stopped = false };
	snprintf(number, sizeof(number), "%u\n", wants->buffer_kb);
	err = instance__write(instance, "buffer_size_kb", number);
	if (err)
		return fault__set(fault, err, "ring buffers of %u KB for each CPU cannot be made: %s", wants->buffer_kb,
				  strerror(-err));
	err = instance__only_tids(instance, wants->tids, wants->tids_count);
	if (err)
		return fault__set(fault, err, "set_ftrace_pid in tracefs cannot be written: %s", strerror(-err));
	err = task_events__open(&recorder->tasks, fault);
	if (!err)
		err = function_tracer__open(tracer, instance, how, fault);
	if (err)
		return err;
	recorder->pairs = calloc(tracer->stream.cpus_count, sizeof(*recorder->pairs));
	err = recorder->pairs ? function_tracer__start(tracer) : -ENOMEM;
	return err ? fault__set(fault, err, "recording cannot be switched on: %s", strerror(-err)) : 0;
}

/* The next call, of which the stack may still be to come: as call_recorder__next(). */
static int next_with_stacks(struct call_recorder *recorder)
{
	struct function_tracer *tracer = &recorder->tracer;
	struct recorded_call *waiting = &recorder->waiting;
	struct stream_record record;
	int more;

	while ((more = stream__next(&tracer->stream, &record)) > 0) {
		struct call_pairs *pairs = &recorder->pairs[tracer->stream.turn];
		bool is_stack = record.record.type == tracer->stack.type;

		if (!is_stack && record.record.type != tracer->type)
			continue;
		call_pairs__add(pairs, is_stack ? PAIR_STACK : PAIR_CALL, record.lost_some, record.lost);
		/* its call was overwritten, or has been given without it */
		if (is_stack)
			continue;
		recorder->is_call = function_tracer__call(tracer, &record.record, &waiting->call);
		recorder->context = record_context__of(&tracer->stack, &record.record);
		waiting->cpu = (uint32_t)record.cpu;
		waiting->frames_count = 0;
		recorder->is_waiting = true;
		return 1;
	}
	return more;
}

/* Whether what is waited for will not come. */
static bool is_too_late(const struct call_recorder *recorder)
{
	return recorder->tracer.stream.ended || now_ns() > recorder->waiting.call.time_ns + STACK_LATE_NS;
}

/* Takes the stack of the call that waits: 1, also where it has none, 0 where that is not known yet, or -errno of read(2). */
static int take_stack(struct call_recorder *recorder)
{
	struct function_tracer *tracer = &recorder->tracer;
	struct recorded_call *waiting = &recorder->waiting;
	struct record_context context;
	struct stream_record record;
	int more = stream__next_on_cpu(&tracer->stream, tracer->stack.type, &record);

	if (more == -EAGAIN) {
		if (!is_too_late(recorder))
			return 0;
		/* it may have come since */
		more = stream__next_on_cpu(&tracer->stream, tracer->stack.type, &record);
	}
	if (more < 0 && more != -EAGAIN)
		return more;
	recorder->is_waiting = false;
	if (more > 0) {
		call_pairs__add(&recorder->pairs[tracer->stream.turn], PAIR_STACK, false, 0);
		context = record_context__of(&tracer->stack, &record.record);
		if (record_context__is_same(&context, &recorder->context))
			waiting->frames_count = stack_record__frames(&tracer->stack, &record.record, waiting->call.function,
								     waiting->frames,
								     CALL_FRAMES_MAX);
	}
	return 1;
}

/* Apart from call_recorder__next(), so that a call without a stack does not pay for it: 20 instructions. */
static __attribute__((noinline)) int next_call_and_stack(struct call_recorder *recorder, struct recorded_call *recorded)
{
	struct recorded_call *waiting = &recorder->waiting;
	int more;

	do {
		more = recorder->is_waiting ? 1 : next_with_stacks(recorder);
		if (more > 0)
			more = take_stack(recorder);
		if (more <= 0)
			return more;
	} while (!recorder->is_call);
	waiting->lost_some = call_pairs__take_losses(&recorder->pairs[recorder->tracer.stream.turn], &waiting->lost);
	*recorded = *waiting;
	return 1;
}

static int next_call(struct call_recorder *recorder, struct recorded_call *recorded)
{
	struct stream_record record;
	bool lost_some = false;
	uint64_t lost = 0;
	int more;

	while ((more = stream__next(&recorder->tracer.stream, &record)) > 0) {
		lost_some |= record.lost_some;
		lost += record.lost;
		if (function_tracer__call(&recorder->tracer, &record.record, &recorded->call) &&
		    function_tracer__is_ours(&recorder->tracer, &recorded->call))
			break;
	}
	if (more <= 0)
		return more;
	recorded->cpu = (uint32_t)record.cpu;
	recorded->lost_some = lost_some;
	recorded->lost = lost;
	if (recorder->tracer.args)
		recorded->args_count = function_tracer__args(&recorder->tracer, &record.record, recorded->args);
	return 1;
}

int call_recorder__next(struct call_recorder *recorder, struct recorded_call *recorded)
{
	const struct task *task;
	int more = recorder->tracer.has_stacks ? next_call_and_stack(recorder, recorded) : next_call(recorder, recorded);

	if (more <= 0)
		return more;
	task = task_events__at(&recorder->tasks, recorded->call.tid, recorded->call.time_ns);
	recorded->pid = task ? task->pid : recorded->call.tid;
	recorded->comm = task ? task->comm : NULL;
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

/* 0 or -errno. */
static int lost_of_pairs(const struct call_recorder *recorder, uint64_t *lost)
{
	const struct stream *stream = &recorder->tracer.stream;
	struct stream_stats stats;

	*lost = stream->broken;
	for (size_t i = 0; i < stream->cpus_count; i++) {
		int err = stream__stats_of(stream, i, &stats);

		if (err)
			return err;
		*lost += call_pairs__lost(&recorder->pairs[i], stats.overrun, stats.refused);
	}
	return 0;
}

int call_recorder__lost(const struct call_recorder *recorder, uint64_t *lost)
{
	const struct stream *stream = &recorder->tracer.stream;
	struct stream_stats stats;
	int err;

	if (recorder->tracer.has_stacks)
		return lost_of_pairs(recorder, lost);
	err = stream__stats(stream, &stats);
	/* pages that were not understood had records, nobody knows how many */
	if (!err)
		*lost = stats.overrun + stats.refused + stream->broken;
	return err;
}

int call_recorder__close(struct call_recorder *recorder)
{
	free(recorder->pairs);
	recorder->pairs = NULL;
	function_tracer__close(&recorder->tracer);
	return task_events__close(&recorder->tasks);
}
