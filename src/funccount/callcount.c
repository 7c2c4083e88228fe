/* SPDX-License-Identifier: BSD-2-Clause */
#include "callcount.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernel/clock.h"
#include "lib/kernel/kernel.h"
#include "lib/print/count.h"

int callcount__open(struct callcount *calls, const struct instance *instance, struct fault *fault)
{
	*calls = (struct callcount){ .cells = { .value_size = sizeof(struct callcount_cell) } };
	/* newer ones have bpf_snprintf() */
	if (kernel__version() < kernel_version(5, 13, 0))
		name_list__open(&calls->names);
	return function_tracer__open(&calls->tracer, instance, FUNCTION_TRACER_RECORDS, fault);
}

void callcount__close(struct callcount *calls)
{
	function_tracer__close(&calls->tracer);
	name_list__close(&calls->names);
	hash__free(&calls->cells);
}

static int count(struct callcount *calls, const struct page_record *record)
{
	struct callcount_cell *cell;
	struct function_call call;

	if (!function_tracer__call(&calls->tracer, record, &call))
		return 0;
	if (calls->is_wanted && !calls->is_wanted(call.tid)) {
		calls->filtered++;
		return 0;
	}
	cell = hash__get(&calls->cells, call.function);
	if (!cell)
		return -ENOMEM;
	cell->count++;
	calls->records++;
	return 0;
}

/*
 * What was called for the first time since this was last asked is one of the functions that are asked for, if nobody has changed them by
 * now.  Else it is not counted.
 */
static void check_new(struct callcount *calls)
{
	struct callcount_cell *cell;
	uint64_t address;
	struct fault fault;
	bool is_ours;

	if (calls->checked == calls->cells.count || !calls->tracer.intact.instance)
		return;
	is_ours = !intact__check(&calls->tracer.intact, &fault);
	for (size_t at = 0; (cell = hash__next(&calls->cells, &at, &address));) {
		if (!is_ours && !cell->is_checked) {
			calls->records -= cell->count;
			cell->count = 0;
		}
		cell->is_checked |= is_ours;
	}
	calls->checked = is_ours ? calls->cells.count : 0;
}

/* Those up to a time, or a batch of them. */
static int read_until(struct callcount *calls, uint64_t until_ns, struct batch *batch)
{
	struct stream_record record;
	int more = 0, err;

	while (!(batch && batch__is_over(batch)) && (more = stream__next_of_any(&calls->tracer.stream, until_ns, &record)) > 0) {
		err = count(calls, &record.record);
		if (err)
			return err;
		if (batch)
			batch__add(batch, 1);
	}
	return more < 0 ? more : 0;
}

int callcount__read(struct callcount *calls, struct batch *batch)
{
	int err;

	if (calls->tracer.instance->has_clock) {
		err = read_until(calls, now_ns(), batch);
	} else {
		stream__begin_round(&calls->tracer.stream);
		err = read_until(calls, UINT64_MAX, batch);
		stream__end_round(&calls->tracer.stream);
	}
	check_new(calls);
	return err;
}

int callcount__start(struct callcount *calls)
{
	/* what was called until now is none of it */
	int err = callcount__read(calls, NULL);

	if (!err)
		err = stream__stats(&calls->tracer.stream, &calls->stats);
	hash__free(&calls->cells);
	calls->checked = 0;
	calls->records = calls->filtered = 0;
	calls->lost_before = calls->stats.overrun + calls->stats.refused;
	return err ? err : function_tracer__watch(&calls->tracer);
}

int callcount__stop(struct callcount *calls)
{
	int err = function_tracer__stop(&calls->tracer), failed;

	failed = read_until(calls, UINT64_MAX, NULL);
	check_new(calls);
	if (!err)
		err = failed;
	failed = stream__stats(&calls->tracer.stream, &calls->stats);
	if (!err)
		err = failed;
	calls->stopped = true;
	function_tracer__close(&calls->tracer);
	return err;
}

void callcount__cut(struct callcount *calls)
{
	struct callcount_cell *cell;
	uint64_t address;

	for (size_t at = 0; (cell = hash__next(&calls->cells, &at, &address));) {
		cell->shown = cell->count;
		cell->count = 0;
	}
}

void callcount__find_names(struct callcount *calls)
{
	uint64_t *addresses = calloc(calls->cells.count + 1, sizeof(*addresses));
	size_t count = 0;

	for (size_t at = 0; addresses && hash__next(&calls->cells, &at, &addresses[count]);)
		count++;
	/* those that it does not tell are looked up as ever */
	if (addresses)
		name_list__ask(&calls->names, addresses, count);
	free(addresses);
}

const char *callcount__name(const struct callcount *calls, uint64_t address)
{
	return name_list__find(&calls->names, address);
}

uint64_t callcount__lost(struct callcount *calls)
{
	if (!calls->stopped)
		stream__stats(&calls->tracer.stream, &calls->stats);
	return count__minus(calls->stats.overrun + calls->stats.refused, calls->lost_before);
}
