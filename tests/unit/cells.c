/* SPDX-License-Identifier: BSD-2-Clause */
/* Differences of cells that only grow: added up over the CPUs, and over any number of looks. */
#include "check.h"
#include "lib/run/cells.h"

int main(void)
{
	uint64_t mapped[2 * 3] = { 5, 0, 1, 7, 0, UINT64_MAX }, last[3] = { 0 }, difference[3];
	struct cells cells = { .mapped = mapped, .words = 3, .cpus = 2, .last = last, .difference = difference };
	struct cells none = { 0 };

	cells__cut(&cells);
	CHECK_INT(difference[0], 12);
	CHECK_INT(difference[1], 0);
	CHECK_INT(difference[2], 0);	/* a cell of a CPU may go around */
	cells__cut(&cells);
	CHECK_INT(difference[0], 0);
	mapped[0] += 3;
	mapped[3 + 1] += 9;
	mapped[2] += 1;
	mapped[3 + 2] += 4;
	cells__cut(&cells);
	CHECK_INT(difference[0], 3);
	CHECK_INT(difference[1], 9);
	CHECK_INT(difference[2], 5);
	cells__cut(&none);
	cells__close(&none);
	return check_done();
}
