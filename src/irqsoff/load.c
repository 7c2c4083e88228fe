/* SPDX-License-Identifier: BSD-2-Clause */
/* Works COUNT times for 100 us, of a clock that counts instructions: what a timer of that period takes from it, an expiry each time. */
#include "work.h"

static void work_on(void)
{
	for (volatile int i = 0; i < 20000; i++)
		;
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, NULL, work_on);
}
