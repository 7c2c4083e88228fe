/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bound for one turn at a source of records.  Records may come faster than they are handled, and other users decide how fast: a reader
 * that waits for an empty buffer would never look at signals, the deadline and its intervals again.  So each reader counts its records
 * in a batch and returns to its loop when that is over:
 *
 *	batch__begin(&batch, BATCH_RECORDS, BATCH_MS);
 *	while (!batch__is_over(&batch) && next(&record) > 0) {
 *		handle(&record);
 *		batch__add(&batch, 1);
 *	}
 */
#ifndef PROBELIGHT_BATCH_H
#define PROBELIGHT_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#define BATCH_RECORDS 4096
#define BATCH_MS 50
#define BATCH_LOOK 64		/* records between two looks at the clock */

struct batch {
	uint32_t count;		/* records so far */
	uint32_t records_max;
	int64_t until_ms;	/* as loop__now_ms() */
	uint32_t look;		/* records between two looks at the clock; 1 where one record may take milliseconds */
	bool was_stopping;	/* a signal came before it began: it takes what is left */
	bool is_over;
};

/* A batch of at most that many records and milliseconds begins now. */
void batch__begin(struct batch *batch, uint32_t records_max, int64_t ms);

/* The same for records that each may take milliseconds: the clock is looked at before each of them. */
void batch__begin_slow(struct batch *batch, uint32_t records_max, int64_t ms);

/* Looks at the clock and at signals. */
bool batch__look(struct batch *batch);

/* To be asked before each record: whether it must be left for the next batch. */
static inline bool batch__is_over(struct batch *batch)
{
	batch->is_over = batch->is_over || batch->count >= batch->records_max || (batch->count % batch->look == 0 && batch__look(batch));
	return batch->is_over;
}

/* So many records were handled. */
static inline void batch__add(struct batch *batch, uint32_t count)
{
	batch->count += count;
}

#endif
