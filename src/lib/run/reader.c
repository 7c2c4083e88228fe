/* SPDX-License-Identifier: BSD-2-Clause */
#include "reader.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "lib/kernel/clock.h"
#include "lib/loop/loop.h"

#define RECORD_ROOM 65536	/* more than any record of a tool that does not say how long its are */

/*
 * How long the reader sleeps between two looks while rows flow: at first, and at most, a fraction of the 50 ms a row may
 * take to show.
 */
#define READER_NAP_FIRST_MS 2
#define READER_NAP_MS 10
#define READER_REST_MS 10000
/* How long the reader waits at the end for a record that a program has in hand. */
#define READER_DRAIN_MS 1000

bool reader__is_enough(const struct reader *reader)
{
	return reader->out->error || (reader->events_max && reader->events >= reader->events_max);
}

/* Hands a record over.  Whether the batch is over: a flood of events does not keep the reader from its signals. */
static inline bool hand_over(struct reader *reader, const struct event_ring_record *record)
{
	if (reader__is_enough(reader) && !reader->takes_all) {
		reader->unread++;
	} else {
		reader->print(reader->ctx, record->data, record->size);
		reader->events++;
	}
	batch__add(reader->batch, 1);
	return batch__is_over(reader->batch);
}

/* The file that tells when any of several rings has a record.  -errno. */
static int poll_all(const struct rings *rings)
{
	int fd = epoll_create1(EPOLL_CLOEXEC);

	for (unsigned int i = 0; fd >= 0 && i < rings->count; i++) {
		struct epoll_event event = { .events = EPOLLIN };

		if (epoll_ctl(fd, EPOLL_CTL_ADD, rings->entries[i].fd, &event)) {
			int err = -errno;

			close(fd);
			return err;
		}
	}
	return fd < 0 ? -errno : fd;
}

int reader__open(struct reader *reader, const struct rings *rings, size_t record_max)
{
	if (!rings->count)
		return -ENOENT;
	reader->nap_ms = READER_NAP_FIRST_MS;
	reader->quiet_ms = READER_NAP_MS;
	for (; reader->rings_count < rings->count; reader->rings_count++) {
		int err = event_ring__map(&reader->rings[reader->rings_count].ring, rings->entries[reader->rings_count].fd, rings->size,
				    record_max > RECORD_ROOM ? record_max : RECORD_ROOM, rings->page);

		if (err)
			return err;
	}
	reader->poll_fd = rings->count > 1 ? poll_all(rings) : rings->entries[0].fd;
	return reader->poll_fd < 0 ? reader->poll_fd : 0;
}

void reader__free(struct reader *reader)
{
	if (reader->rings_count > 1 && reader->poll_fd > 0)
		close(reader->poll_fd);
	for (size_t i = 0; i < reader->rings_count; i++)
		event_ring__unmap(&reader->rings[i].ring);
	reader->rings_count = 0;
}

/* The bytes in the fullest ring. */
static size_t count_waiting(const struct reader *reader)
{
	size_t most = 0;

	for (size_t i = 0; i < reader->rings_count; i++) {
		const struct event_ring *ring = &reader->rings[i].ring;
		size_t waiting = (size_t)(event_ring__end(ring) - ring->at);

		most = waiting > most ? waiting : most;
	}
	return most;
}

/* Naps get longer as long as they leave most of each ring free, so that a small ring is emptied before it is full. */
static int64_t next_nap_ms(int64_t nap_ms, size_t found, size_t ring_size)
{
	if (found > ring_size / 2)
		return nap_ms > 1 ? nap_ms / 2 : 1;
	if (found > ring_size / 4)
		return nap_ms;
	return nap_ms < READER_NAP_MS / 2 ? nap_ms * 2 : READER_NAP_MS;
}

/* Nothing comes.  To map all again with each burst would take more than it saves. */
static void rest(struct reader *reader)
{
	int64_t now_ms = loop__now_ms();

	if (now_ms - reader->rested_ms < READER_REST_MS)
		return;
	reader->rested_ms = now_ms;
	for (size_t i = 0; i < reader->rings_count; i++)
		event_ring__rest(&reader->rings[i].ring);
}

/*
 * How long to sleep after a turn that found so many bytes.  Two states.  Busy: sleep 2 to 10 ms, then look at the ring;
 * programs submit without waking anybody, and a batch costs one wake-up.  Idle: after READER_NAP_MS with an empty ring,
 * sleep until a ring has a record. This cannot lose a wake-up: READER_NAP_MS (10 ms) is longer than
 * EVENT_WAKE_INTERVAL_NS (5 ms), so the next event finds the last wake-up old enough and wakes the reader.
 */
static void set_sleep(struct reader *reader, size_t found, bool is_empty)
{
	struct source *source = reader->source;

	if (reader->quiet_ms >= READER_NAP_MS)
		reader->nap_ms = READER_NAP_FIRST_MS;
	else
		reader->nap_ms = next_nap_ms(reader->nap_ms, found, reader->rings[0].ring.size);
	if (!is_empty)
		reader->quiet_ms = 0;
	if (reader->quiet_ms < READER_NAP_MS) {
		source->wake_fd = -1;
		source->look_ms = reader->nap_ms;
		reader->quiet_ms += reader->nap_ms;
	} else {
		source->wake_fd = reader->poll_fd;
		source->look_ms = reader->idle_ms;
		rest(reader);
	}
}

static void read_one(struct reader *reader)
{
	struct event_ring *ring = &reader->rings[0].ring;
	struct event_ring_record record;

	while (event_ring__look(ring, event_ring__end(ring), &record) == RING_RECORD) {
		bool is_over = hand_over(reader, &record);

		event_ring__take(ring, &record);
		if (is_over)
			return;
	}
}

/* The next record of a ring. */
struct head {
	struct reader_ring *from;
	uint64_t end, ts_ns;
	struct event_ring_record record;
};

/*
 * Whether the ring has a record; *is_blocked: a program has it in hand, and nobody knows its time.  The program may be preempted: others
 * do not wait for ever, nor until they find no room.
 */
static bool look(const struct reader *reader, struct head *head, bool *is_blocked)
{
	struct reader_ring *from = head->from;
	enum event_ring_state state = event_ring__look(&from->ring, head->end, &head->record);

	if (state == RING_RECORD) {
		head->ts_ns = *(const uint64_t *)head->record.data;
		return true;
	}
	if (state == RING_EMPTY)
		return false;
	if (!from->busy_ms || from->busy_at != from->ring.at) {
		from->busy_at = from->ring.at;
		from->busy_ms = loop__now_ms();
	}
	*is_blocked = loop__now_ms() - from->busy_ms < READER_BUSY_MS && count_waiting(reader) <= from->ring.size / 2;
	return false;
}

/* Moves the first head to where it belongs by its time. */
static void sort_first(struct head *heads, size_t count)
{
	struct head first = heads[0];
	size_t at = 0;

	for (; at + 1 < count && heads[at + 1].ts_ns < first.ts_ns; at++)
		heads[at] = heads[at + 1];
	heads[at] = first;
}

/* The rings that have a record until until_ns, by its time.  Their number; 0 where one is blocked. */
static size_t look_at_all(struct reader *reader, struct head heads[RINGS_MAX], uint64_t until_ns)
{
	size_t first = RINGS_MAX;
	bool is_blocked = false;

	for (size_t i = 0; i < reader->rings_count; i++) {
		struct head *head = &heads[first - 1];

		*head = (struct head){ .from = &reader->rings[i], .end = event_ring__end(&reader->rings[i].ring) };
		if (look(reader, head, &is_blocked) && head->ts_ns <= until_ns) {
			first--;
			sort_first(head, RINGS_MAX - first);
		}
	}
	memmove(heads, heads + first, (RINGS_MAX - first) * sizeof(*heads));
	return is_blocked ? 0 : RINGS_MAX - first;
}

/* Takes what is not younger, in the order of time.  Whether there was any. */
static bool read_all(struct reader *reader, uint64_t until_ns)
{
	struct head heads[RINGS_MAX];
	size_t count = look_at_all(reader, heads, until_ns);
	bool is_blocked = false, found = count;

	while (count) {
		bool is_over = hand_over(reader, &heads[0].record);

		event_ring__take(&heads[0].from->ring, &heads[0].record);
		if (is_over)
			break;
		if (look(reader, &heads[0], &is_blocked) && heads[0].ts_ns <= until_ns)
			sort_first(heads, count);
		else
			memmove(heads, heads + 1, --count * sizeof(*heads));
		if (is_blocked)
			break;
	}
	return found && !is_blocked;
}

static void read_rings(struct reader *reader, bool is_last)
{
	if (reader->rings_count == 1) {
		read_one(reader);
		return;
	}
	while (read_all(reader, is_last ? UINT64_MAX : now_ns() - READER_LATE_NS) && !reader->batch->is_over &&
	       count_waiting(reader) > reader->rings[0].ring.size / 8)
		;
}

int reader__read(struct reader *reader, struct source *source, struct batch *batch)
{
	size_t found = count_waiting(reader);

	reader->source = source;
	reader->batch = batch;
	read_rings(reader, false);
	/* a record that is reserved and not submitted yet hides those behind it: not empty */
	if (!batch->is_over)
		set_sleep(reader, found, !batch->count && !count_waiting(reader));
	return 0;
}

/*
 * A program on a raw tracepoint may still run when that has been detached, on another CPU, and have a record in hand: it
 * submits it within microseconds, or when its CPU is given back to it.
 */
int reader__read_last(struct reader *reader, struct batch *batch)
{
	const struct timespec nap = { .tv_nsec = 100000 };

	if (!reader->drain_until_ms)
		reader->drain_until_ms = loop__now_ms() + READER_DRAIN_MS;
	reader->batch = batch;
	for (;;) {
		read_rings(reader, true);
		if (batch->count || !count_waiting(reader) || loop__now_ms() > reader->drain_until_ms)
			return 0;
		nanosleep(&nap, NULL);
	}
}
