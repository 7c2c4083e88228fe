/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/loop/batch: a source that never runs dry does not keep its reader. */
#include "lib/loop/batch.h"

#include <signal.h>
#include <time.h>

#include "check.h"
#include "lib/loop/loop.h"

/* How many records of an endless source a batch takes; each takes so many milliseconds, and a signal comes with one of them (0: none). */
static uint32_t take(struct batch *batch, int64_t ms, uint32_t signal_at)
{
	uint32_t count = 0;

	while (!batch__is_over(batch)) {
		batch__add(batch, 1);
		if (++count == signal_at)
			raise(SIGINT);
		if (ms)
			nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
	}
	CHECK_INT(batch->count, count);
	/* and stays over */
	CHECK(batch__is_over(batch));
	return count;
}

int main(void)
{
	struct batch batch;
	uint32_t count;

	batch__begin(&batch, BATCH_RECORDS, 1000000);
	CHECK_INT(take(&batch, 0, 0), BATCH_RECORDS);
	/* by time: at most BATCH_LOOK records too many */
	batch__begin(&batch, UINT32_MAX, 20);
	count = take(&batch, 1, 0);
	CHECK(count >= 1 && count <= 20 + BATCH_LOOK);
	batch__begin_slow(&batch, UINT32_MAX, 20);
	count = take(&batch, 1, 0);
	CHECK(count >= 1 && count <= 21);
	/* one that takes too long for all: each batch comes further all the same */
	batch__begin_slow(&batch, UINT32_MAX, 0);
	CHECK_INT(take(&batch, 1, 0), 1);

	loop__catch_signals();
	batch__begin(&batch, UINT32_MAX, 1000000);
	count = take(&batch, 0, 1000);
	CHECK(count >= 1000 && count <= 1000 + BATCH_LOOK);
	/* what is left at the end is taken */
	batch__begin(&batch, BATCH_RECORDS, 1000000);
	CHECK_INT(take(&batch, 0, 0), BATCH_RECORDS);
	return check_done();
}
