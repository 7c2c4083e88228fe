/* SPDX-License-Identifier: BSD-2-Clause */
/* calls COUNT: a system call that no tool shows. */
#include "work.h"

int main(int argc, char **argv)
{
	long count = work__number(argc, argv, 1, 1);
	struct work_span span = work__begin();

	for (long i = 0; i < count; i++)
		getpgid(0);
	work__end(&span, count);
	return 0;
}
