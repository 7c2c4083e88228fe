/* SPDX-License-Identifier: BSD-2-Clause */
#include "callcount.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernel/clock.h"
#include "lib/kernel/kernel.h"
#include "lib/print/count.h"

#define ROOM_FIRST 1024

int callcount__open(struct callcount *calls, const struct instance *instance, char *why, size_t size)
{
	*calls = (struct callcount){ .room = ROOM_FIRST };
	calls->cells = calloc(calls->room, sizeof(*calls->cells));
	if (!calls->cells) {
		snprintf(why, size, "no memory for the counts");
		return -ENOMEM;
	}
	/* newer ones have bpf_snprintf() */
	if (kernel__version() < kernel_version(5, 13, 0))
		name_list__open(&calls->names);
	return function_tracer__open(&calls->tracer, instance, FUNCTION_TRACER_RECORDS, why, size);
}

void callcount__close(struct callcount *calls)
{
	function_tracer__close(&calls->tracer);
	name_list__close(&calls->names);
	free(calls->cells);
	calls->cells = NULL;
	calls->room = calls->used = 0;
}

/* The cell of an address, where it is or where it would be. */
static struct callcount_cell *find(struct callcount_cell *cells, size_t room, uint64_t address)
{
	/* the upper bits of a product are well mixed */
	size_t at = (size_t)((address * 0x9e3779b97f4a7c15ull) >> 32) & (room - 1);

	while (cells[at].address && cells[at].address != address)
		at = (at + 1) & (room - 1);
	return &cells[at];
}

static int grow(struct callcount *calls)
{
	struct callcount_cell *larger = calloc(calls->room * 2, sizeof(*larger));

	if (!larger)
		return -ENOMEM;
	for (size_t i = 0; i < calls->room; i++)
		if (calls->cells[i].address)
			*find(larger, calls->room * 2, calls->cells[i].address) = calls->cells[i];
	free(calls->cells);
	calls->cells = larger;
	calls->room *= 2;
	return 0;
}

static int count(struct callcount *calls, const struct page_record *record)
{
	struct callcount_cell *cell;
	struct function_call call;
	int err;

	if (!function_tracer__call(&calls->tracer, record, &call))
		return 0;
	cell = find(calls->cells, calls->room, call.function);
	if (!cell->address) {
		if (calls->used * 2 >= calls->room) {
			err = grow(calls);
			if (err)
				return err;
			cell = find(calls->cells, calls->room, call.function);
		}
		cell->address = call.function;
		calls->used++;
	}
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
	char why[256];
	bool is_ours;

	if (calls->checked == calls->used || !calls->tracer.intact.instance)
		return;
	is_ours = !intact__check(&calls->tracer.intact, why, sizeof(why));
	for (size_t i = 0; i < calls->room; i++) {
		struct callcount_cell *cell = &calls->cells[i];

		if (!is_ours && !cell->is_checked) {
			calls->records -= cell->count;
			cell->count = 0;
		}
		cell->is_checked |= cell->address && is_ours;
	}
	calls->checked = is_ours ? calls->used : 0;
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
	memset(calls->cells, 0, calls->room * sizeof(*calls->cells));
	calls->used = calls->checked = 0;
	calls->records = 0;
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
	for (size_t i = 0; i < calls->room; i++) {
		calls->cells[i].shown = calls->cells[i].count;
		calls->cells[i].count = 0;
	}
}

void callcount__find_names(struct callcount *calls)
{
	uint64_t *addresses = calloc(calls->used + 1, sizeof(*addresses));
	size_t count = 0;

	for (size_t i = 0; i < calls->room && addresses; i++)
		if (calls->cells[i].address)
			addresses[count++] = calls->cells[i].address;
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
