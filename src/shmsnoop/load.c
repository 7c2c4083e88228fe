/* SPDX-License-Identifier: BSD-2-Clause */
/* shmsnoop-load COUNT [WRITERS [RATE]]: asks for a segment that is not there. */
#include <sys/ipc.h>
#include <sys/shm.h>

#include "work.h"

static void nothing(void)
{
}

static void ask(void)
{
	shmget(0x70726f62, 1, 0);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, nothing, ask);
}
