/* SPDX-License-Identifier: BSD-2-Clause */
#include "rate_limit.h"

#include <errno.h>

#include "lib/loop/loop.h"
#include "lib/print/count.h"

void rate_limit__start(struct rate_limit *limit)
{
	*limit = (struct rate_limit){ .looked_ms = loop__now_ms() };
}

bool rate_limit__is_due(const struct rate_limit *limit, const struct tool *tool)
{
	return tool->options.rate_max && loop__now_ms() - limit->looked_ms >= RATE_LIMIT_PERIOD_MS;
}

int rate_limit__check(struct rate_limit *limit, struct tool *tool, uint64_t seen)
{
	int64_t now_ms = loop__now_ms(), passed_ms = now_ms - limit->looked_ms;
	/* what is lost is an estimate for some sources, which may become smaller */
	uint64_t came = count__minus(seen, limit->seen);

	limit->seen = seen;
	limit->looked_ms = now_ms;
	if (passed_ms <= 0 || came * 1000 / (uint64_t)passed_ms <= tool->options.rate_max)
		return tool->err;
	return tool__fail(tool, -EBUSY, "stopped: %llu calls in %lld ms are more than %llu a second, which would slow this machine "
			  "down (name fewer functions, or raise --rate)", (unsigned long long)came, (long long)passed_ms,
			  (unsigned long long)tool->options.rate_max);
}
