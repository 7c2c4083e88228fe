/* SPDX-License-Identifier: BSD-2-Clause */
/* stop_here LINE: says a line to the host and stops the guest there (outside.h). */
#include "outside.h"

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	stop_here(argv[1]);
	return 0;
}
