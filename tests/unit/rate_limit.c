/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs that are ended because too much comes, and those that are not. */
#include "check.h"
#include "lib/loop/loop.h"
#include "lib/run/rate_limit.h"

/* One second passes, and then so much has come: whether the run goes on. */
static bool goes_on(struct rate_limit *limit, struct tool *tool, uint64_t seen)
{
	limit->looked_ms = loop__now_ms() - 1000;
	tool->err = 0;
	return !rate_limit__check(limit, tool, seen);
}

int main(void)
{
	struct tool tool = { .options.rate_max = 1000 };
	struct rate_limit limit;

	rate_limit__start(&limit);
	CHECK(!rate_limit__is_due(&limit, &tool));
	CHECK(goes_on(&limit, &tool, 900));
	CHECK(goes_on(&limit, &tool, 1800));
	/* what was lost is an estimate, which may become smaller */
	CHECK(goes_on(&limit, &tool, 1799));
	CHECK(goes_on(&limit, &tool, 0));
	CHECK(!goes_on(&limit, &tool, 1200));
	return check_done();
}
