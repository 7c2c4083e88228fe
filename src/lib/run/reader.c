/* SPDX-License-Identifier: BSD-2-Clause */
#include "reader.h"

#include <errno.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "tally.h"

/*
 * How long the reader sleeps between two looks while rows flow: at first, and at most, a fraction of the 50 ms a row may
 * take to show.
 */
#define READER_NAP_FIRST_MS 2
#define READER_NAP_MS 10
/* The longest sleep, also a bound on how late a loss is told. */
#define READER_SLEEP_MS 1000
/* How long the reader waits at the end for a record that a program has in hand. */
#define READER_DRAIN_MS 1000

static bool is_enough(const struct reader *reader)
{
	return reader->loop->out->error || (reader->events_max && reader->events >= reader->events_max);
}

/*
 * libbpf's callback.  A negative return ends the consumption, the record being consumed: used between batches, so
 * that a flood of events does not keep the reader from its signals.  Tools' own callbacks return void.
 */
static int on_record(void *ctx, void *data, size_t size)
{
	struct reader *reader = ctx;

	if (is_enough(reader) && !reader->takes_all) {
		reader->unread++;
	} else {
		reader->print(reader->ctx, data, size);
		reader->events++;
	}
	return batch__is_over(&reader->batch) ? -ECANCELED : 0;
}

int reader__open(struct reader *reader, const struct bpf_object *object, const struct event_stats *stats)
{
	const struct bpf_map *events = bpf_object__find_map_by_name(object, "events");

	if (!events)
		return -ENOENT;
	reader->stats = stats;
	reader->ring = ring_buffer__new(bpf_map__fd(events), on_record, reader, NULL);
	return reader->ring ? 0 : -errno;
}

void reader__free(struct reader *reader)
{
	ring_buffer__free(reader->ring);
	reader->ring = NULL;
}

static void tell_losses(struct reader *reader)
{
	struct pollfd to = { .fd = STDERR_FILENO, .events = POLLOUT };
	int64_t now = loop__now_ms();
	struct tally tally;
	uint64_t lost;

	if (now - reader->lost_told_ms < 1000)
		return;
	tally__read(&tally, reader->stats);
	/* a stderr that nobody reads either must not hold the reader up: later */
	if (tally.lost.value <= reader->lost_told || !poll(&to, 1, 0))
		return;
	lost = count__rise(&reader->lost_told, tally.lost.value);
	reader->tell_lost(reader->ctx, lost, count__rise(&reader->no_room_told, tally.no_room));
	reader->lost_told_ms = now;
}

void reader__on_blocked(void *ctx)
{
	struct reader *reader = ctx;

	bool is_over = loop__is_past_deadline(reader->loop);

	/* in one file with the rows, part of a row may be written: the message would stand in its middle */
	if (!sink__is_same_file(&reader->loop->out->sink, STDERR_FILENO)) {
		tell_losses(reader);
		is_over |= reader->look && reader->look(reader->ctx);
	}
	if (is_over)
		reader->on_deadline(reader->ctx);
}

/* Hands over what is in the ring, at most a batch.  Returns the number of records, or -errno. */
static int consume(struct reader *reader)
{
	int err;

	if (reader->is_slow)
		batch__begin_slow(&reader->batch, BATCH_RECORDS, BATCH_MS);
	else
		batch__begin(&reader->batch, BATCH_RECORDS, BATCH_MS);
	err = ring_buffer__consume(reader->ring);
	out__flush(reader->loop->out);
	return err < 0 && err != -ECANCELED ? err : (int)reader->batch.count;
}

static bool is_over(const struct reader *reader)
{
	return is_enough(reader) || loop__is_over(reader->loop);
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
 * Two states.  Busy: sleep 2 to 10 ms, then look at the ring; programs submit without waking anybody, and a batch costs one
 * wake-up.  Idle: after READER_NAP_MS with an empty ring, sleep on the ring's epoll descriptor.  This cannot lose a wake-up:
 * READER_NAP_MS (10 ms) is longer than EVENT_WAKE_INTERVAL_NS (5 ms), so the next event finds the last wake-up old enough and
 * wakes the reader.
 */
int reader__run(struct reader *reader)
{
	const struct ring *ring = ring_buffer__ring(reader->ring, 0);
	int64_t nap_ms = READER_NAP_FIRST_MS, quiet_ms = READER_NAP_MS;

	while (!is_over(reader)) {
		size_t found = ring__avail_data_size(ring);
		int count = consume(reader);

		if (count < 0)
			return count;
		tell_losses(reader);
		if (reader->look && reader->look(reader->ctx))
			return 0;
		if (quiet_ms >= READER_NAP_MS)
			nap_ms = READER_NAP_FIRST_MS;
		else
			nap_ms = next_nap_ms(nap_ms, found, ring__size(ring));
		if (reader->batch.is_over || is_over(reader))
			continue;
		/* a record that is reserved and not submitted yet hides those behind it: not empty */
		if (count || ring__avail_data_size(ring))
			quiet_ms = 0;
		if (quiet_ms < READER_NAP_MS) {
			loop__sleep(reader->loop, -1, nap_ms);
			quiet_ms += nap_ms;
		} else {
			loop__sleep(reader->loop, ring_buffer__epoll_fd(reader->ring), reader->look ? reader->look_ms : READER_SLEEP_MS);
		}
	}
	return 0;
}

/*
 * A program on a raw tracepoint may still run when that has been detached, on another CPU, and have a record in hand: it
 * submits it within microseconds, or when its CPU is given back to it.
 */
void reader__drain(struct reader *reader)
{
	const struct timespec nap = { .tv_nsec = 100000 };
	int64_t deadline_ms = loop__now_ms() + READER_DRAIN_MS;

	for (;;) {
		while (consume(reader) > 0)
			;
		if (!ring__avail_data_size(ring_buffer__ring(reader->ring, 0)) || loop__now_ms() > deadline_ms)
			return;
		nanosleep(&nap, NULL);
	}
}
