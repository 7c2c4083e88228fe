/* SPDX-License-Identifier: BSD-2-Clause */
/* Differences of cells that only grow: added up over the CPUs, and over any number of looks. */
#include <stdlib.h>

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

	/* each CPU's own */
	cells.by_cpu = true;
	cells.class_words = 3;
	cells.last = calloc(6, sizeof(uint64_t));
	cells.difference = calloc(6, sizeof(uint64_t));
	CHECK_INT(cells__sums(&cells), 2);
	cells__cut(&cells);
	CHECK_INT(cells.difference[0], mapped[0]);
	CHECK_INT(cells.difference[3 + 1], mapped[3 + 1]);
	mapped[3 + 1] += 2;
	cells__cut(&cells);
	CHECK_INT(cells.difference[1], 0);
	CHECK_INT(cells.difference[3 + 1], 2);
	free(cells.last);
	free(cells.difference);

	/* where something is under way: of classes of three words, and of one */
	mapped[0] = mapped[3] = 0;
	CHECK_INT(cells__under_way(&cells, 0), 0);
	mapped[3] = 1;
	CHECK_INT(cells__under_way(&cells, 0), 1);
	cells.class_words = 1;
	mapped[0] = mapped[1] = mapped[2] = mapped[4] = mapped[5] = 0;
	CHECK_INT(cells__under_way(&cells, 0), 1);
	cells__cut(&none);
	cells__close(&none);
	return check_done();
}
