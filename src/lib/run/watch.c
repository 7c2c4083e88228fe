/* SPDX-License-Identifier: BSD-2-Clause */
#include "watch.h"

#include "gone_modules.h"
#include "lib/loop/loop.h"

int watch__look_now(struct watch *watch, struct tool *tool)
{
	struct fault fault;
	int err;

	watch->looked_ms = loop__now_ms();
	gone_modules__look();
	if (!watch->is_intact || watch->is_broken)
		return tool->err;
	err = watch->is_intact(watch->ctx, &fault);
	if (!err)
		return tool->err;
	watch->is_broken = true;
	return tool__fail(tool, err, "%s", fault.text);
}

int watch__look(struct watch *watch, struct tool *tool)
{
	return loop__now_ms() - watch->looked_ms >= WATCH_PERIOD_MS ? watch__look_now(watch, tool) : tool->err;
}

void watch__tally(const struct watch *watch, struct tally *tally)
{
	if (watch->is_broken)
		count__doubt(&tally->missed, "somebody has changed the tracing");
	if (gone_modules__look())
		count__doubt(&tally->missed, GONE_MODULES_WHY);
}
