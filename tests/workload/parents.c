/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * parents N: asks N times for its parent's number. The kernel's function for that has several names, as have all those of
 * calls without arguments.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--)
		syscall(SYS_getppid);
	return 0;
}
