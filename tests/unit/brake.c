/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs that are ended because too much comes, and those that are not. */
#include "check.h"
#include "lib/loop/loop.h"
#include "lib/run/brake.h"

/* One second passes, and then so much has come: whether the run goes on. */
static bool goes_on(struct brake *brake, struct tool *tool, uint64_t seen)
{
	brake->looked_ms = loop__now_ms() - 1000;
	tool->err = 0;
	return !brake__check(brake, tool, seen);
}

int main(void)
{
	struct tool tool = { .name = "unit", .rate_max = 1000 };
	struct brake brake;

	brake__start(&brake);
	CHECK(!brake__is_due(&brake, &tool));
	CHECK(goes_on(&brake, &tool, 900));
	CHECK(goes_on(&brake, &tool, 1800));
	/* what was lost is an estimate, which may become smaller */
	CHECK(goes_on(&brake, &tool, 1799));
	CHECK(goes_on(&brake, &tool, 0));
	CHECK(!goes_on(&brake, &tool, 1200));
	return check_done();
}
