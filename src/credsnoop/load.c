/* SPDX-License-Identifier: BSD-2-Clause */
/* credsnoop-load COUNT [WRITERS [RATE]]: changes its effective group to and fro. */
#include "work.h"

static void change(void)
{
	static unsigned int count;

	if (setresgid((gid_t)-1, count++ % 2 ? 0 : 1, (gid_t)-1))
		exit(1);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, NULL, change);
}
