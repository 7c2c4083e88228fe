/* SPDX-License-Identifier: BSD-2-Clause */
#include "brake.h"

#include <errno.h>

#include "lib/loop/loop.h"
#include "lib/print/count.h"

void brake__start(struct brake *brake)
{
	*brake = (struct brake){ .looked_ms = loop__now_ms() };
}

bool brake__is_due(const struct brake *brake, const struct tool *tool)
{
	return tool->rate_max && loop__now_ms() - brake->looked_ms >= BRAKE_PERIOD_MS;
}

int brake__check(struct brake *brake, struct tool *tool, uint64_t seen)
{
	int64_t now_ms = loop__now_ms(), passed_ms = now_ms - brake->looked_ms;
	/* what is lost is an estimate for some sources, which may become smaller */
	uint64_t came = count__minus(seen, brake->seen);

	brake->seen = seen;
	brake->looked_ms = now_ms;
	if (passed_ms <= 0 || came * 1000 / (uint64_t)passed_ms <= tool->rate_max)
		return tool->err;
	return tool__fail(tool, -EBUSY, "stopped: %llu calls in %lld ms are more than %llu a second, which would slow this machine "
			  "down (name fewer functions, or raise --rate)", (unsigned long long)came, (long long)passed_ms,
			  (unsigned long long)tool->rate_max);
}
