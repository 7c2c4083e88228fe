/* SPDX-License-Identifier: BSD-2-Clause */
#include "off_cpu.h"

#include <errno.h>
#include <string.h>

#include "call_trees.h"
#include "lib/format/events.h"
#include "lib/format/format.h"

#define BUFFER_KB 2048		/* for each CPU: 30,000 switches */

struct off_task {
	uint64_t since_ns;	/* it is off the CPU since then; 0: it is on one */
	uint64_t sum_ns;
};

static int read_format(struct off_cpu *off, struct fault *fault)
{
	const struct format_field *prev, *next;
	struct format *format;
	int err = events__format("sched", "sched_switch", &format, fault);

	if (err)
		return err;
	off->type = (uint16_t)format->id;
	prev = format__field(format, "prev_pid");
	next = format__field(format, "next_pid");
	if (!prev || !next || prev->size != sizeof(uint32_t) || next->size != sizeof(uint32_t)) {
		err = fault__set(fault, -EINVAL, "sched/sched_switch does not have the fields that name tasks");
	} else {
		off->prev = prev->offset;
		off->next_pid = next->offset;
		off->size_min = (prev->offset > next->offset ? prev->offset : next->offset) + (uint32_t)sizeof(uint32_t);
	}
	format__free(format);
	return err;
}

int off_cpu__open(struct off_cpu *off, struct fault *fault)
{
	int err;

	*off = (struct off_cpu){ .is_open = true, .tasks = { .value_size = sizeof(struct off_task) } };
	err = read_format(off, fault);
	if (err)
		return err;
	err = instance__make(&off->instance, BUFFER_KB);
	if (!err)
		err = instance__set_clock(&off->instance);
	if (!err)
		err = instance__write(&off->instance, "events/sched/sched_switch/enable", "1\n");
	if (!err)
		err = stream__open(&off->stream, off->instance.path);
	return err ? fault__set(fault, err, "an instance in tracefs for switches of tasks cannot be made: %s", strerror(-err)) : 0;
}

/* NULL without memory: its time is not known then. */
static struct off_task *task_of(struct off_cpu *off, uint32_t tid, uint32_t cpu)
{
	uint64_t key = call_trees__key(tid, cpu);
	struct off_task *task = hash__find(&off->tasks, key);

	if (task)
		return task;
	task = hash__add(&off->tasks, key);
	if (task)
		*task = (struct off_task){ .sum_ns = 0 };
	else
		off->losses++;
	return task;
}

static uint32_t number_at(const struct page_record *record, uint32_t offset)
{
	uint32_t number;

	memcpy(&number, record->data + offset, sizeof(number));
	return number;
}

static void apply(struct off_cpu *off, const struct stream_record *record)
{
	const struct page_record *page = &record->record;
	struct off_task *task;

	if (page->type != off->type || page->size < off->size_min)
		return;
	task = task_of(off, number_at(page, off->prev), (uint32_t)record->cpu);
	if (task)
		task->since_ns = page->time;
	task = task_of(off, number_at(page, off->next_pid), (uint32_t)record->cpu);
	if (task && task->since_ns) {
		/* of another CPU's clock, which may be a little behind */
		task->sum_ns += page->time > task->since_ns ? page->time - task->since_ns : 0;
		task->since_ns = 0;
	}
}

/* The next record, or until when there is none.  1, 0, or -errno of reading. */
static int look(struct off_cpu *off)
{
	int more = stream__next(&off->stream, &off->next);

	off->has_next = more > 0;
	if (!off->has_next)
		off->known_ns = stream__known_until(&off->stream);
	if (more < 0)
		off->losses++;
	return more;
}

uint64_t off_cpu__until(struct off_cpu *off, uint32_t tid, uint32_t cpu, uint64_t time_ns)
{
	const struct off_task *task;

	for (;;) {
		if (!off->has_next && time_ns > off->known_ns)
			look(off);
		if (!off->has_next || off->next.record.time > time_ns)
			break;
		off->losses += off->next.lost_some;
		apply(off, &off->next);
		off->has_next = false;
	}
	task = hash__find(&off->tasks, call_trees__key(tid, cpu));
	return task ? task->sum_ns : 0;
}

uint64_t off_cpu__look(struct off_cpu *off)
{
	/* there may be more behind the next one; and where it cannot be read, nobody waits for it */
	return off->has_next || look(off) ? UINT64_MAX : off->known_ns;
}

void off_cpu__end(struct off_cpu *off)
{
	if (!off->is_open)
		return;
	instance__write(&off->instance, "tracing_on", "0\n");
	stream__end(&off->stream);
	stream__keep_rest(&off->stream);
}

int off_cpu__close(struct off_cpu *off)
{
	if (!off->is_open)
		return 0;
	off->is_open = false;
	stream__close(&off->stream);
	hash__free(&off->tasks);
	return instance__remove(&off->instance);
}
