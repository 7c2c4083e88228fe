/* SPDX-License-Identifier: BSD-2-Clause */
/* unlinks COUNT: removes a file that is not there. */
#include "work.h"

int main(int argc, char **argv)
{
	long count = work__number(argc, argv, 1, 1);
	struct work_span span;

	unlink(WORK_MARKER);
	span = work__begin();
	for (long i = 0; i < count; i++)
		unlink(WORK_MARKER);
	work__end(&span, count);
	return 0;
}
