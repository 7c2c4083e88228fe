/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * null_disk NAME [SETTING=VALUE…]	makes the disk /dev/NAME (null_disk.h)
 * null_disk -r NAME			removes it
 */
#include "null_disk.h"

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "-r"))
		null_disk_remove(argv[2]);
	else if (argc > 1)
		null_disk_make(argv[1], (const char *const *)argv + 2);
	else
		return 2;
	return 0;
}
