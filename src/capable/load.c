/* SPDX-License-Identifier: BSD-2-Clause */
/* capable-load COUNT [WRITERS [RATE]]: a system call that checks a capability and then does nothing. */
#include <sys/syscall.h>

#include "work.h"

static void check(void)
{
	syscall(SYS_sethostname, NULL, -1);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, NULL, check);
}
