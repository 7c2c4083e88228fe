/* SPDX-License-Identifier: BSD-2-Clause */
/* kills COUNT [WRITERS [RATE]]: sends itself signal 0, which only asks whether it may. */
#include <signal.h>

#include "work.h"

static pid_t self;

static void find_self(void)
{
	self = getpid();
}

static void kill_self(void)
{
	kill(self, 0);
}

int main(int argc, char **argv)
{
	return work__run(argc, argv, find_self, kill_self);
}
