/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/print/clock.h"
#include "lib/print/others.h"

void stack_files__draw(struct stack_report *report, const struct table *table, const struct stack_value *without_room)
{
	static const struct flame_frame others = { OTHERS, FLAME_REMARK };
	struct flame *flame = flame__new();
	int err = flame ? 0 : -ENOMEM;

	for (size_t i = 0; i < table->count && !err; i++) {
		const struct stack_key *key = table__key(table, i);
		char comm[TASK_COMM_LEN + 1];

		snprintf(comm, sizeof(comm), "%.*s", TASK_COMM_LEN, key->comm);
		err = stacks__add_flame(&report->stacks, stack_report__frames_drawn(report, key), comm,
					stack_report__weight_shown(report, table__value(table, i)), flame);
	}
	if (!err && without_room->count)
		err = flame__add(flame, &others, 1, stack_report__weight_shown(report, without_room));
	if (!err)
		err = flame__write(flame, report->picture.fd, report->tool->about->name, report->unit);
	flame__free(flame);
	if (err)
		side_file__fail(&report->picture, report->tool, err);
}

/* When an interval began, in nanoseconds since 1970. */
static uint64_t wall_time(const struct interval *interval)
{
	return (uint64_t)(clock__ns(CLOCK_REALTIME) - clock__kernel_ns()) + interval->begin_ns;
}

static struct pprof_sample sample_of(const struct stack_report *report, const struct stack_value *value)
{
	uint64_t second = report->is_time || report->is_bytes ? value->ns : value->count * report->period;

	return (struct pprof_sample){ .values = { value->count, second } };
}

/* Adds the count frames in stacks->frames.  0 or -ENOMEM. */
static int add_sample(const struct stacks *stacks, size_t count, const struct pprof_sample *sample, struct pprof *to)
{
	struct pprof_frame frames[STACK_SHOWN_MAX];

	for (size_t i = 0; i < count; i++) {
		const struct stack_frame *frame = &stacks->frames[i];

		frames[i].name = frame->name;
		frames[i].file = frame->of_kernel ? "[kernel]" : frame->user ? frame->user->file : NULL;
	}
	return pprof__add(to, frames, count, sample);
}

static int fill_profile(struct stack_report *report, const struct interval *interval, const struct stack_value *without_room,
			struct pprof *pprof)
{
	static const struct pprof_frame others = { OTHERS, NULL };
	struct pprof_sample sample = sample_of(report, without_room);
	int err = without_room->count ? pprof__add(pprof, &others, 1, &sample) : 0;
	struct stack_rows rows = { .list = NULL };

	if (!err)
		err = stack_rows__make(&rows, interval->table, stack_report__count_of, stack_report__digest_drawn, report);
	for (size_t i = 0; i < rows.count && !err; i++) {
		const struct stack_key *key = rows.list[i].key;
		char comm[TASK_COMM_LEN + 1];

		snprintf(comm, sizeof(comm), "%.*s", TASK_COMM_LEN, key->comm);
		sample = sample_of(report, &rows.list[i].value);
		sample.comm = comm;
		sample.pid = key->pid;
		sample.tag_word = report->tag_word;
		sample.tag = report->tag ? report->tag(key) : NULL;
		err = add_sample(&report->stacks, stack_report__frames_drawn(report, key), &sample, pprof);
	}
	stack_rows__free(&rows);
	return err;
}

void stack_files__write_profile(struct stack_report *report, const struct interval *interval, const struct stack_value *without_room)
{
	const struct pprof_run run = { .begin_ns = wall_time(interval), .duration_ns = interval->end_ns - interval->begin_ns,
				       .period = report->period };
	struct pprof *pprof = pprof__new(report->types);
	int err = pprof ? fill_profile(report, interval, without_room, pprof) : -ENOMEM;
	char *bytes = NULL;
	size_t size = 0;	/* for gcc with -flto */

	if (!err)
		err = pprof__take(pprof, &run, &bytes, &size);
	pprof__free(pprof);
	if (err)
		side_file__fail(&report->profile, report->tool, err);
	else
		side_file__write(&report->profile, report->tool, bytes, size);
	free(bytes);
}
