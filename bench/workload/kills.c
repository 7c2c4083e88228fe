/* SPDX-License-Identifier: BSD-2-Clause */
/* kills COUNT: sends itself signal 0, which only asks whether it may. */
#include <signal.h>

#include "work.h"

int main(int argc, char **argv)
{
	long count = work__number(argc, argv, 1, 1);
	pid_t self = getpid();
	struct work_span span = work__begin();

	for (long i = 0; i < count; i++)
		kill(self, 0);
	work__end(&span, count);
	return 0;
}
