/* SPDX-License-Identifier: BSD-2-Clause */
#include "reader.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

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
/* Records handled before signals, the clock and the output are looked at again: a flood must not make it deaf. */
#define READER_BATCH 4096

static volatile sig_atomic_t stop_signal;

static void on_signal(int signal)
{
	stop_signal = signal;
}

void reader__catch_signals(void)
{
	/* no SA_RESTART: a write to a pipe that nobody reads must come back */
	struct sigaction action = { .sa_handler = on_signal }, inherited;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* nohup(1): the terminal may go, the tool goes on */
	if (!sigaction(SIGHUP, NULL, &inherited) && inherited.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, NULL);
}

static void on_tick(int signal)
{
	(void)signal;
}

void reader__tick(void)
{
	const struct sigaction action = { .sa_handler = on_tick };
	const struct itimerval second = { .it_interval.tv_sec = 1, .it_value.tv_sec = 1 };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &second, NULL);
}

bool reader__is_stopping(void)
{
	return stop_signal;
}

int64_t reader__now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool is_enough(const struct reader *reader)
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

	if (is_enough(reader)) {
		reader->unread++;
	} else {
		reader->print(reader->ctx, data, size);
		reader->events++;
	}
	return ++reader->batch >= READER_BATCH ? -ECANCELED : 0;
}

int reader__open(struct reader *reader, const struct bpf_object *object)
{
	const struct bpf_map *events = bpf_object__find_map_by_name(object, "events");
	const struct bpf_map *stats = bpf_object__find_map_by_name(object, ".data.stats");
	size_t size;

	if (!events || !stats)
		return -ENOENT;
	reader->stats = bpf_map__initial_value(stats, &size);
	reader->ring = ring_buffer__new(bpf_map__fd(events), on_record, reader, NULL);
	return reader->ring ? 0 : -errno;
}

void reader__free(struct reader *reader)
{
	ring_buffer__free(reader->ring);
	reader->ring = NULL;
}

uint64_t reader__lost(const struct reader *reader)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < EVENT_STATS_SLOTS; i++)
		sum += __atomic_load_n(&reader->stats[i].lost, __ATOMIC_RELAXED);
	return sum;
}

uint64_t reader__filtered(const struct reader *reader)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < EVENT_STATS_SLOTS; i++)
		sum += __atomic_load_n(&reader->stats[i].filtered, __ATOMIC_RELAXED);
	return sum;
}

bool reader__follows_calls(const struct bpf_object *object)
{
	return bpf_object__find_map_by_name(object, "calls");
}

uint64_t reader__missed(const struct reader *reader, const struct bpf_object *object)
{
	const struct bpf_map *calls = bpf_object__find_map_by_name(object, "calls");
	__u32 key, *previous = NULL;
	uint64_t sum = 0;

	for (size_t i = 0; i < EVENT_STATS_SLOTS; i++)
		sum += __atomic_load_n(&reader->stats[i].missed, __ATOMIC_RELAXED);
	for (; calls && !bpf_map__get_next_key(calls, previous, &key, sizeof(key)); previous = &key)
		sum++;
	return sum;
}

static void tell_losses(struct reader *reader)
{
	struct pollfd to = { .fd = STDERR_FILENO, .events = POLLOUT };
	int64_t now = reader__now_ms();
	uint64_t sum;

	if (now - reader->lost_told_ms < 1000)
		return;
	sum = reader__lost(reader);
	/* a stderr that nobody reads either must not hold the reader up: later */
	if (sum == reader->lost_told || !poll(&to, 1, 0))
		return;
	reader->tell_lost(reader->ctx, sum - reader->lost_told);
	reader->lost_told = sum;
	reader->lost_told_ms = now;
}

static bool is_same_file(int fd, int other_fd)
{
	struct stat file, other;

	return !fstat(fd, &file) && !fstat(other_fd, &other) && file.st_dev == other.st_dev && file.st_ino == other.st_ino;
}

void reader__held_up(void *ctx)
{
	struct reader *reader = ctx;

	/* in one file with the rows, part of a row may be written: the message would stand in its middle */
	if (!is_same_file(reader->out->fd, STDERR_FILENO))
		tell_losses(reader);
	if (reader->deadline_ms && reader__now_ms() >= reader->deadline_ms)
		reader->overdue(reader->ctx);
}

/* Hands over what is in the ring, at most a batch.  Returns the number of records, or -errno. */
static int consume(struct reader *reader)
{
	int err;

	reader->batch = 0;
	err = ring_buffer__consume(reader->ring);
	out__flush(reader->out);
	return err < 0 && err != -ECANCELED ? err : (int)reader->batch;
}

static bool is_over(const struct reader *reader)
{
	return stop_signal || is_enough(reader) || (reader->deadline_ms && reader__now_ms() >= reader->deadline_ms);
}

/*
 * Sleeps for at most timeout_ms: until the ring has something (where watch_ring), a signal, or the far end of stdout
 * is closed.  Signals are blocked between the last look at stop_signal and the sleep, so that none slips through; the tick
 * waits for its end.
 */
static void sleep_ms(struct reader *reader, bool watch_ring, int64_t timeout_ms)
{
	struct pollfd fds[] = {
		{ .fd = reader->out->fd },
		{ .fd = watch_ring ? ring_buffer__epoll_fd(reader->ring) : -1, .events = POLLIN },
	};
	sigset_t signals, asleep, before;
	struct timespec timeout;

	if (reader->deadline_ms && timeout_ms > reader->deadline_ms - reader__now_ms())
		timeout_ms = reader->deadline_ms - reader__now_ms();
	if (timeout_ms < 0)
		timeout_ms = 0;
	timeout.tv_sec = timeout_ms / 1000;
	timeout.tv_nsec = timeout_ms % 1000 * 1000000;
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, &before);
	asleep = before;
	sigaddset(&asleep, SIGALRM);
	if (!stop_signal)
		ppoll(fds, 2, &timeout, &asleep);
	sigprocmask(SIG_SETMASK, &before, NULL);
	/* POLLERR: the read end of a pipe is closed; POLLHUP: a terminal is gone */
	if (fds[0].revents & (POLLERR | POLLHUP) && !reader->out->error)
		reader->out->error = -EPIPE;
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
 * While rows flow the reader naps and looks by itself: the programs need not wake it, and a batch costs one wake-up.
 * It sleeps on the ring only once that was seen empty, READER_NAP_MS after it last had something; the next event then
 * finds EVENT_WAKE_INTERVAL_NS, the shorter time, gone by since the last wake-up, and wakes it.
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
		if (quiet_ms >= READER_NAP_MS)
			nap_ms = READER_NAP_FIRST_MS;
		else
			nap_ms = next_nap_ms(nap_ms, found, ring__size(ring));
		if (count >= READER_BATCH || is_over(reader))
			continue;
		/* a record that is reserved and not submitted yet hides those behind it: not empty */
		if (count || ring__avail_data_size(ring))
			quiet_ms = 0;
		if (quiet_ms < READER_NAP_MS) {
			sleep_ms(reader, false, nap_ms);
			quiet_ms += nap_ms;
		} else {
			sleep_ms(reader, true, READER_SLEEP_MS);
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
	int64_t deadline_ms = reader__now_ms() + READER_DRAIN_MS;

	for (;;) {
		while (consume(reader) > 0)
			;
		if (!ring__avail_data_size(ring_buffer__ring(reader->ring, 0)) || reader__now_ms() > deadline_ms)
			return;
		nanosleep(&nap, NULL);
	}
}
