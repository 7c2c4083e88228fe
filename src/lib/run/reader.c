/* SPDX-License-Identifier: BSD-2-Clause */
#include "reader.h"

#include <errno.h>
#include <time.h>

#include "lib/loop/loop.h"

/*
 * How long the reader sleeps between two looks while rows flow: at first, and at most, a fraction of the 50 ms a row may
 * take to show.
 */
#define READER_NAP_FIRST_MS 2
#define READER_NAP_MS 10
/* How long the reader waits at the end for a record that a program has in hand. */
#define READER_DRAIN_MS 1000

bool reader__is_enough(const struct reader *reader)
{
	return reader->out->error || (reader->events_max && reader->events >= reader->events_max);
}

/*
 * libbpf's callback.  A negative return ends the consumption, the record being consumed: used between batches, so
 * that a flood of events does not keep the reader from its signals.  Tools' own callbacks return void.
 */
static int on_record(void *ctx, void *data, size_t size)
{
	struct reader *reader = ctx;

	if (reader__is_enough(reader) && !reader->takes_all) {
		reader->unread++;
	} else {
		reader->print(reader->ctx, data, size);
		reader->events++;
	}
	batch__add(reader->batch, 1);
	return batch__is_over(reader->batch) ? -ECANCELED : 0;
}

int reader__open(struct reader *reader, const struct bpf_object *object)
{
	const struct bpf_map *events = bpf_object__find_map_by_name(object, "events");

	if (!events)
		return -ENOENT;
	reader->nap_ms = READER_NAP_FIRST_MS;
	reader->quiet_ms = READER_NAP_MS;
	reader->ring = ring_buffer__new(bpf_map__fd(events), on_record, reader, NULL);
	return reader->ring ? 0 : -errno;
}

void reader__free(struct reader *reader)
{
	ring_buffer__free(reader->ring);
	reader->ring = NULL;
}

/* Naps get longer as long as they leave most of the ring free, so that a small ring is emptied before it is full. */
static int64_t next_nap_ms(int64_t nap_ms, size_t found, size_t ring_size)
{
	if (found > ring_size / 2)
		return nap_ms > 1 ? nap_ms / 2 : 1;
	if (found > ring_size / 4)
		return nap_ms;
	return nap_ms < READER_NAP_MS / 2 ? nap_ms * 2 : READER_NAP_MS;
}

/*
 * How long to sleep after a turn that found so many bytes.  Two states.  Busy: sleep 2 to 10 ms, then look at the ring;
 * programs submit without waking anybody, and a batch costs one wake-up.  Idle: after READER_NAP_MS with an empty ring,
 * sleep on the ring's epoll descriptor. This cannot lose a wake-up: READER_NAP_MS (10 ms) is longer than
 * EVENT_WAKE_INTERVAL_NS (5 ms), so the next event finds the last wake-up old enough and wakes the reader.
 */
static void set_sleep(struct reader *reader, size_t found, bool is_empty)
{
	struct source *source = reader->source;

	if (reader->quiet_ms >= READER_NAP_MS)
		reader->nap_ms = READER_NAP_FIRST_MS;
	else
		reader->nap_ms = next_nap_ms(reader->nap_ms, found, ring__size(ring_buffer__ring(reader->ring, 0)));
	if (!is_empty)
		reader->quiet_ms = 0;
	if (reader->quiet_ms < READER_NAP_MS) {
		source->wake_fd = -1;
		source->look_ms = reader->nap_ms;
		reader->quiet_ms += reader->nap_ms;
	} else {
		source->wake_fd = ring_buffer__epoll_fd(reader->ring);
		source->look_ms = reader->idle_ms;
	}
}

/* 0 or -errno */
static int consume(struct reader *reader)
{
	int err = ring_buffer__consume(reader->ring);

	return err < 0 && err != -ECANCELED ? err : 0;
}

int reader__read(struct reader *reader, struct source *source, struct batch *batch)
{
	const struct ring *ring = ring_buffer__ring(reader->ring, 0);
	size_t found = ring__avail_data_size(ring);
	int err;

	reader->source = source;
	reader->batch = batch;
	err = consume(reader);
	/* a record that is reserved and not submitted yet hides those behind it: not empty */
	if (!err && !batch->is_over)
		set_sleep(reader, found, !batch->count && !ring__avail_data_size(ring));
	return err;
}

/*
 * A program on a raw tracepoint may still run when that has been detached, on another CPU, and have a record in hand: it
 * submits it within microseconds, or when its CPU is given back to it.
 */
int reader__read_last(struct reader *reader, struct batch *batch)
{
	const struct timespec nap = { .tv_nsec = 100000 };
	int err;

	if (!reader->drain_until_ms)
		reader->drain_until_ms = loop__now_ms() + READER_DRAIN_MS;
	reader->batch = batch;
	for (;;) {
		err = consume(reader);
		if (err || batch->count || !ring__avail_data_size(ring_buffer__ring(reader->ring, 0)) ||
		    loop__now_ms() > reader->drain_until_ms)
			return err;
		nanosleep(&nap, NULL);
	}
}
