/* SPDX-License-Identifier: BSD-2-Clause */
#include "counting_kernel.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "counting.h"
#include "lib/kernel/kernel.h"
#include "lib/layout/layout.h"
#include "lib/shared/event.h"
#include "lib/shared/event_counts.h"
#include "tool.h"

/* Keys that differ may print alike: the errors -2 and -13 are both the descriptor -1.  So programs have room for more than --keys says. */
#define KEYS_FACTOR 4
#define RECORD_MAX 8192		/* of a tool that does not say how large its events are */

/* ---- which bytes */

/* The mask of a word of the key; NULL: it has no room for another one. */
static __u64 *mask_at(struct event_counts *counts, uint32_t offset)
{
	for (uint32_t i = 0; i < counts->words; i++)
		if (counts->offsets[i] == offset)
			return &counts->masks[i];
	if (counts->words == EVENT_COUNTS_WORDS)
		return NULL;
	counts->offsets[counts->words] = offset;
	return &counts->masks[counts->words++];
}

static bool add_bytes(struct event_counts *counts, const struct out_bytes *bytes)
{
	for (uint32_t at = bytes->offset; at < (uint32_t)bytes->offset + bytes->size; at++) {
		__u64 *mask = at < EVENT_COUNTS_SAMPLE ? mask_at(counts, at & ~7u) : NULL;

		if (!mask)
			return false;
		((unsigned char *)mask)[at & 7] = 0xff;
	}
	return true;
}

/* The column's bytes as part of the key; whether they can be. */
static bool add_column(struct event_counts *counts, const struct out_column *column)
{
	if (!column->made_of[0].size)
		return false;
	for (size_t i = 0; i < OUT_BYTES_MAX; i++)
		if (!add_bytes(counts, &column->made_of[i]))
			return false;
	return true;
}

/* The first column that programs cannot count by; NULL: none. */
static const char *find_hindrance(const struct tool *tool, struct event_counts *counts)
{
	const struct counting *counting = tool->counting;

	if (counting->hist_name)
		return counting->hist_name;
	if (tool->options.stacks_asked)
		return "--stack";
	if (counting->numbers_count)
		return counting->numbers[0].asked;
	for (size_t i = 0; i < counting->names_count; i++)
		if (!add_column(counts, &tool->columns[counting->columns[i].index]))
			return counting->names[i];
	return NULL;
}

/* ---- before the programs are loaded */

static void leave_out(const struct tool *tool, const struct bpf_object *object)
{
	bpf_map__set_autocreate(bpf_object__find_map_by_name(object, "event_slots"), false);
	table__leave_out(object);
}

/* How many keys: all that are preallocated take memory, whether they are seen or not. */
static uint32_t room_for_keys(uint32_t keys, bool on_demand)
{
	if (on_demand || keys <= COUNTING_KEYS / KEYS_FACTOR)
		return keys <= UINT32_MAX / KEYS_FACTOR ? KEYS_FACTOR * keys : UINT32_MAX;
	return keys > COUNTING_KEYS ? keys : COUNTING_KEYS;
}

static int prepare(struct tool *tool, const struct bpf_object *object, const struct event_counts *counts)
{
	struct counting_kernel *kernel = &tool->counting->kernel;
	bool on_demand = kernel__allocates_on_demand();
	uint32_t keys = room_for_keys((uint32_t)tool->counting->counts.keys_max, on_demand);
	int err = table__set_key_size(object, counts->words * sizeof(__u64));

	if (!err)
		err = table__prepare(&kernel->table, object, keys, true, tool->options.interval_ns != 0);
	/* nothing is sent */
	if (!err)
		err = bpf_map__set_max_entries(bpf_object__find_map_by_name(object, "events"), (uint32_t)sysconf(_SC_PAGESIZE));
	return err;
}

void counting_kernel__choose(struct tool *tool)
{
	const struct bpf_object *object = *tool->skeleton->obj;
	struct event_counts counts = { .words = 0 };
	const char *hindrance;
	int err;

	if (tool->counting)
		tool->counting->kernel.table = (struct table)TABLE_NONE;
	if (!bpf_object__find_map_by_name(object, "event_slots")) {
		if (tool->counting)
			tool__debug(tool, "counting: from rows, which a burst can lose");
		return;
	}
	hindrance = tool->counting ? find_hindrance(tool, &counts) : "";
	if (hindrance) {
		if (tool->counting)
			tool__debug(tool, "counting: from rows, which a burst can lose; \"%s\" cannot be counted in the kernel",
				    hindrance);
		leave_out(tool, object);
		return;
	}
	err = prepare(tool, object, &counts);
	if (err) {
		tool__fail_maps(tool, err);
		return;
	}
	tool__set_rodata(tool, "event_counts", &counts, sizeof(counts));
	layout__call_instead(tool->layout, BPF_FUNC_ringbuf_reserve, "event_slot_take");
	layout__call_instead(tool->layout, BPF_FUNC_ringbuf_submit, "event_slot_count");
	layout__call_instead(tool->layout, BPF_FUNC_ringbuf_discard, "event_slot_release");
	tool->counting->kernel.is_used = true;
	tool__debug(tool, "counting: in the kernel, by %u bytes of each event", counts.words * (unsigned int)sizeof(__u64));
}

bool counting_kernel__is_used(const struct tool *tool)
{
	return tool->counting && tool->counting->kernel.is_used;
}

/* ---- the run */

int counting_kernel__open(struct tool *tool, counting_print_event print, void *ctx)
{
	struct counting_kernel *kernel = &tool->counting->kernel;
	int err = table__open(&kernel->table, *tool->skeleton->obj);

	if (err)
		return err;
	kernel->print = print;
	kernel->ctx = ctx;
	kernel->stats = tally__map(*tool->skeleton->obj);
	kernel->event_size = tool->about->record_max > RECORD_MAX ? tool->about->record_max : RECORD_MAX;
	kernel->event = calloc(1, kernel->event_size);
	kernel->order = malloc(kernel->table.keys_max * sizeof(*kernel->order));
	return kernel->event && kernel->order ? 0 : -ENOMEM;
}

/* How many events found no room for their key since the last time. */
static uint64_t count_others(struct counting_kernel *kernel)
{
	uint64_t before = kernel->others;

	kernel->others = tally__others(kernel->stats);
	return kernel->others - before;
}

static const struct event_count *row_at(const struct counting_kernel *kernel, size_t i)
{
	return table__value(&kernel->table, i);
}

static uint64_t time_of(const struct event_count *count)
{
	return ((const struct event_task *)count->sample)->ts_ns;
}

static int compare_times(const void *a, const void *b, void *kernel)
{
	uint64_t left = time_of(row_at(kernel, *(const size_t *)a)), right = time_of(row_at(kernel, *(const size_t *)b));

	return left < right ? -1 : left > right;
}

/* In the order in which the keys came: the same ones have room as where rows are counted. */
static void print_samples(struct counting *counting)
{
	struct counting_kernel *kernel = &counting->kernel;

	for (size_t i = 0; i < kernel->table.count; i++)
		kernel->order[i] = i;
	qsort_r(kernel->order, kernel->table.count, sizeof(*kernel->order), compare_times, kernel);
	for (size_t i = 0; i < kernel->table.count; i++) {
		const struct event_count *row = row_at(kernel, kernel->order[i]);

		/* beyond the sample there are zeros: texts, which no wanted column has */
		memcpy(kernel->event, row->sample, sizeof(row->sample));
		counting->weight = row->count;
		kernel->print(kernel->ctx, kernel->event, kernel->event_size);
		counting->rows_more += row->count - 1;
	}
	counting->weight = 1;
}

void counting_kernel__take(struct tool *tool, bool is_over)
{
	struct counting *counting = tool->counting;
	uint64_t others;
	int err;

	/* programs that still run count what they have made: this is synchronize_rcu() (kernel/sched/membarrier.c), as in intervals.c */
	if (is_over)
		syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	err = table__cut(&counting->kernel.table, is_over);
	if (err) {
		tool__fail(tool, err, "the table of counts cannot be read: %s", strerror(-err));
		return;
	}
	others = count_others(&counting->kernel);
	counting__enter(tool);
	print_samples(counting);
	counting__leave(tool);
	counting->counts.others.count += others;
	counting->rows_more += others;
}

void counting_kernel__free(struct counting_kernel *kernel)
{
	if (kernel->is_used)
		table__close(&kernel->table);
	free(kernel->event);
	free(kernel->order);
	kernel->event = NULL;
	kernel->order = NULL;
}
