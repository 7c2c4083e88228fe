/* SPDX-License-Identifier: BSD-2-Clause */
/* extacks COUNT: netlink requests that the kernel refuses with a message. */
#include "extack.h"
#include "work.h"

int main(int argc, char **argv)
{
	long count = work__number(argc, argv, 1, 1);
	int fd = extack__socket();
	struct work_span span = work__begin();

	for (long i = 0; i < count; i++)
		if (extack__provoke(fd))
			return 1;
	work__end(&span, count);
	return 0;
}
