/* SPDX-License-Identifier: BSD-2-Clause */
#include "callcount.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernel/clock.h"
#include "lib/kernel/kernel.h"
#include "lib/print/count.h"

int callcount__open(struct callcount *calls, const struct instance *instance, char *why, size_t size)
{
	*calls = (struct callcount){ .cells = { .value_size = sizeof(struct callcount_cell) } };
	/* newer ones have bpf_snprintf() */
	if (kernel__version() < kernel_version(5, 13, 0))
		name_list__open(&calls->names);
	return function_tracer__open(&calls->tracer, instance, FUNCTION_TRACER_RECORDS, why, size);
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
	cell = hash__get(&calls->cells, call.function);
	if (!cell)
		return -ENOMEM;
	cell->count++;
	calls->records++;
	return 0;
}

/* Those up to a time. */
static int read_until(struct callcount *calls, uint64_t until_ns)
{
	struct stream_record record;
	int more, err;

	while ((more = stream__next_of_any(&calls->tracer.stream, until_ns, &record)) > 0) {
		err = count(calls, &record.record);
		if (err)
			return err;
	}
	return more;
}

int callcount__read(struct callcount *calls)
{
	int err;

	if (calls->tracer.instance->has_clock)
		return read_until(calls, now_ns());
	stream__begin_round(&calls->tracer.stream);
	err = read_until(calls, UINT64_MAX);
	stream__end_round(&calls->tracer.stream);
	return err;
}

int callcount__start(struct callcount *calls)
{
	/* what was called until now is none of it */
	int err = callcount__read(calls);

	if (!err)
		err = stream__stats(&calls->tracer.stream, &calls->stats);
	hash__free(&calls->cells);
	calls->records = 0;
	calls->lost_before = calls->stats.overrun + calls->stats.refused;
	return err;
}

int callcount__stop(struct callcount *calls)
{
	int err = function_tracer__stop(&calls->tracer), failed;

	failed = read_until(calls, UINT64_MAX);
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
