/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the ring buffers of all CPUs of an instance (trace_pipe_raw), and gives their records one by one: in the order of their
 * times, or CPU by CPU, which is cheaper.  Nothing is lost silently: read + overwritten + left is what was written.
 *
 * In order: a record is given once every other CPU has a later one, or was found empty at a later time.  The instance's trace_clock
 * must be "mono" for that, which instance__set_clock() sees to.  An interrupt that comes between the reservation and the commit of a
 * record delays it; where that takes longer than STREAM_LATE_NS the record comes late, and is out of order.
 */
#ifndef PROBELIGHT_STREAM_H
#define PROBELIGHT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "page.h"

#define STREAM_LATE_NS 1000000

struct stream_cpu {
	int number;
	int fd;				/* -1: closed, what there was is in rest */
	uint8_t *bytes;			/* a page */
	uint8_t *rest;			/* stream__keep_rest(): pages, with the bytes of each before it (uint32_t) */
	size_t rest_size, rest_at;
	struct page page;
	bool has_record;
	struct page_record record;	/* the next one */
	uint64_t empty_ns;		/* nothing older than this will come */
	uint32_t round_pages;		/* that were read in this round; STREAM_ROUND_PAGES: it is over */
	bool lost_some;			/* before the next record */
	uint64_t lost;
};

struct stream {
	struct page_layout layout;
	struct stream_cpu *cpus;	/* all that the kernel could bring online; one that is not is empty until it is */
	size_t cpus_count;
	size_t turn;			/* the CPU whose record was given last */
	uint64_t until_ns;		/* its records up to this time are next */
	uint64_t limit_ns;		/* stream__set_limit() */
	uint64_t records;		/* that were given */
	uint64_t broken;		/* pages that the reader did not understand, from where it did not */
	bool ended;
	bool in_round;
	char path[160];			/* of the instance, relative to tracefs */
};

struct stream_record {
	struct page_record record;	/* its data is valid until the next call */
	int cpu;
	bool lost_some;			/* records of this CPU were overwritten just before it */
	uint64_t lost;			/* how many; 0: the kernel does not say */
};

/* What the kernel counts for CPUs since the instance was made, or cleared (per_cpu/cpuN/stats). */
struct stream_stats {
	uint64_t entries;		/* in the buffers now */
	uint64_t overrun;		/* overwritten before they were read */
	uint64_t refused;		/* no room for a record: "commit overrun" and "dropped events" */
	uint64_t read;
};

/* Opens them, of "instances/NAME", or of tracefs itself ("").  0 or -errno.  stream__close() takes one that failed, too. */
int stream__open(struct stream *stream, const char *instance);
void stream__close(struct stream *stream);

/* stream__next()'s slow part: another page, or another CPU's turn. */
int stream__next_turn(struct stream *stream, struct stream_record *record);

/* The next record in the order of time: 1, 0 where there is none for now, or -errno of read(2). */
static inline int stream__next(struct stream *stream, struct stream_record *record)
{
	struct stream_cpu *cpu = &stream->cpus[stream->turn];

	/* most often the next one of the same page; what was lost before a page is reported with its first record, which advance() reads */
	if (cpu->has_record || !page__next_short(&cpu->page, &record->record))
		return stream__next_turn(stream, record);
	if (record->record.time > stream->until_ns) {
		cpu->record = record->record;
		cpu->has_record = true;
		return stream__next_turn(stream, record);
	}
	record->cpu = cpu->number;
	record->lost_some = false;
	record->lost = 0;
	stream->records++;
	return 1;
}

/*
 * From now on stream__next() gives records up to this time (CLOCK_MONOTONIC) only, and leaves younger ones for later: for who needs
 * something else to know of that time first.  UINT64_MAX, as after stream__open(): all that it can.
 */
void stream__set_limit(struct stream *stream, uint64_t limit_ns);

/*
 * After stream__next() gave one: the record that follows it on its CPU, stream->cpus[stream->turn], whenever it was written.  1, 0 where it
 * is of another type or some were lost before it, and it stays for stream__next(); -EAGAIN where there is none for now, or -errno of
 * read(2).
 */
int stream__next_on_cpu(struct stream *stream, uint16_t type, struct stream_record *record);

/* After stream__next() gave none: up to this time (CLOCK_MONOTONIC) there will be none; UINT64_MAX after the end. */
uint64_t stream__known_until(const struct stream *stream);

/*
 * The next record of any CPU that is not younger than until_ns (CLOCK_MONOTONIC): reading may itself cause records, and would
 * never come to an end.  Not to be mixed with stream__next().
 */
int stream__next_of_any(struct stream *stream, uint64_t until_ns, struct stream_record *record);

/*
 * What is there now, where records have no times that could be compared: after stream__begin_round() stream__next_of_any() gives the
 * records of each CPU up to the first page that is not full, and those of STREAM_ROUND_PAGES at most.  stream__end_round() ends that.
 */
#define STREAM_ROUND_PAGES 4096
void stream__begin_round(struct stream *stream);
void stream__end_round(struct stream *stream);

/* Nothing is written any more: records of the last moment are given, too. */
void stream__end(struct stream *stream);

/*
 * After stream__end(): reads all that is left into memory, and closes the files, so that the tracer can be changed; the records are given
 * as before.  0, or -ENOMEM or -errno of read(2), where some files stay open.
 */
int stream__keep_rest(struct stream *stream);

/*
 * After stream__end(), before the first record is asked for: since when (the buffer's trace_clock) no CPU's records were overwritten; 0
 * where none ever were.  0 or -errno of read(2).
 */
int stream__complete_from(struct stream *stream, uint64_t *from_ns);

/*
 * How many records are in the buffers of "instances/NAME", or of tracefs itself (""): what a reader of trace_pipe, too, has before it.
 * 0 or -errno.
 */
int stream__waiting(const char *instance, uint64_t *entries);

/* Of all CPUs, or of stream->cpus[index].  0 or -errno. */
int stream__stats(const struct stream *stream, struct stream_stats *stats);
int stream__stats_of(const struct stream *stream, size_t index, struct stream_stats *stats);

#endif
