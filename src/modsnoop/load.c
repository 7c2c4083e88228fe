/* SPDX-License-Identifier: BSD-2-Clause */
/* modsnoop-load COUNT [WRITERS [RATE]]: removes a module that is not there. */
#include <fcntl.h>
#include <sys/syscall.h>

#include "work.h"

static void remove_module(void)
{
	syscall(SYS_delete_module, WORK_MARKER, O_NONBLOCK);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, remove_module, remove_module);
}
