/* SPDX-License-Identifier: BSD-2-Clause */
#include "batch.h"

#include "loop.h"

static void begin(struct batch *batch, uint32_t records_max, int64_t ms, uint32_t look)
{
	*batch = (struct batch){
		.records_max = records_max, .until_ms = loop__now_ms() + ms, .look = look, .was_stopping = loop__is_stopping(),
	};
}

void batch__begin(struct batch *batch, uint32_t records_max, int64_t ms)
{
	begin(batch, records_max, ms, BATCH_LOOK);
}

void batch__begin_slow(struct batch *batch, uint32_t records_max, int64_t ms)
{
	begin(batch, records_max, ms, 1);
}

bool batch__look(struct batch *batch)
{
	/* one record is always taken: each batch comes further */
	return batch->count && ((loop__is_stopping() && !batch->was_stopping) || loop__now_ms() >= batch->until_ms);
}
